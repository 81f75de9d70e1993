"use strict";
(() => {
const D = JSON.parse(document.getElementById("data").textContent);
const $ = id => document.getElementById(id);
const N = D.seats.length;
const F = [];
for (const change of D.frames) F.push({...F[F.length - 1], ...change});
const SIGN = {s: "♠", h: "♥", d: "♦", c: "♣", nt: "NT"};
const PATH = {
  s: "M0-10C5-4 9-1 9 4c0 4-5 6-8 2 0 3 1 4 3 5h-8c2-1 3-2 3-5-3 4-8 2-8-2 0-5 4-8 9-14z",
  h: "M0 10C-8 3-10 0-10-4c0-6 8-8 10-1 2-7 10-5 10 1 0 4-2 7-10 14z",
  d: "M0-11 8 0 0 11-8 0z",
  c: "M0-10a5 5 0 0 1 4 8 5 5 0 1 1-3 9c0 2 1 3 3 4h-8c2-1 3-2 3-4a5 5 0 1 1-3-9 5 5 0 0 1 4-8z"
};
const SPOTS = {
  2: [[0, -1], [0, 1]], 3: [[0, -1], [0, 0], [0, 1]], 4: [[-1, -1], [1, -1], [-1, 1], [1, 1]],
  5: [[-1, -1], [1, -1], [0, 0], [-1, 1], [1, 1]], 6: [[-1, -1], [1, -1], [-1, 0], [1, 0], [-1, 1], [1, 1]],
  7: [[-1, -1], [1, -1], [0, -.5], [-1, 0], [1, 0], [-1, 1], [1, 1]],
  8: [[-1, -1], [1, -1], [0, -.5], [-1, 0], [1, 0], [0, .5], [-1, 1], [1, 1]],
  9: [[-1, -1], [1, -1], [-1, -.33], [1, -.33], [0, 0], [-1, .33], [1, .33], [-1, 1], [1, 1]],
  10: [[-1, -1], [1, -1], [0, -.66], [-1, -.33], [1, -.33], [-1, .33], [1, .33], [0, .66], [-1, 1], [1, 1]]
};
const WORD = {A: "ace", K: "king", Q: "queen", J: "jack", T: "10"};
const SUIT = {s: "spades", h: "hearts", d: "diamonds", c: "clubs"};
const MARK = {right: ["R", "right bower"], left: ["L", "left bower"], joker: ["★", "highest trump"], trump: ["", "trump"]};
let at = 0, eyes = D.only;

const esc = text => String(text).replace(/[&<>"]/g, sign => `&#${sign.charCodeAt(0)};`);
const red = text => esc(text).replace(/(?:10|[AKQJ2-9])?[♥♦]/g, part => `<span class="redsuit">${part}</span>`);
const list = text => text ? text.split(" ") : [];

function spoken(card, mark) {
  const name = card[0] === "X" ? "joker" : `${WORD[card[0]] || card[0]} of ${SUIT[card[1]]}`;
  return mark ? `${name}, ${MARK[mark][1]}` : name;
}
function short(card) {
  return card[0] === "X" ? "★" : (card[0] === "T" ? "10" : card[0]) + SIGN[card[1]];
}
function corner(rank, suit, ink) {
  const size = rank.length > 1 ? 12 : 15;
  return `<text x="8.5" y="16" font-size="${size}" text-anchor="middle" font-weight="700" fill="${ink}" letter-spacing="-1">${rank}</text>` +
    (suit ? `<path d="${PATH[suit]}" fill="${ink}" transform="translate(8.5 25) scale(.5)"/>` : "");
}
function face(card, trump) {
  const mark = (D.marks[trump] || {})[card];
  const glow = mark ? `<rect x="1" y="1" width="62" height="88" rx="7" fill="none" stroke="#d6a12c" stroke-width="${mark === "trump" ? 1.6 : 2.6}"/>` : "";
  const badge = mark && MARK[mark][0] ? `<circle cx="54" cy="10" r="7.5" fill="#d6a12c"/><text x="54" y="14" font-size="11" font-weight="800" text-anchor="middle" fill="#241a03">${MARK[mark][0]}</text>` : "";
  let inside;
  if (card[0] === "X") {
    const ink = card[1] === "b" ? "#1c1b19" : card[1] === "r" ? "#c1121f" : "#6a3fb5";
    inside = `<path d="M32 22l7 15 16 2-12 11 3 17-14-9-14 9 3-17-12-11 16-2z" fill="${ink}"/><text x="32" y="82" font-size="9" font-weight="700" text-anchor="middle" fill="${ink}" letter-spacing="1">JOKER</text>` + corner({X2: "2", X3: "3"}[card] || "★", "", ink);
  } else {
    const rank = card[0] === "T" ? "10" : card[0], suit = card[1];
    const ink = suit === "h" || suit === "d" ? "#c1121f" : "#1c1b19";
    const pip = (x, y, size, turn) => `<path d="${PATH[suit]}" fill="${ink}" transform="translate(${x} ${y}) scale(${size})${turn ? " rotate(180)" : ""}"/>`;
    if (SPOTS[rank]) inside = SPOTS[rank].map(([x, y]) => pip(32 + x * 10, 45 + y * 27, .6, y > 0)).join("");
    else if (rank === "A") inside = pip(32, 45, 1.7);
    else inside = `<rect x="17" y="14" width="30" height="62" rx="4" fill="${ink}" opacity=".08"/><rect x="17" y="14" width="30" height="62" rx="4" fill="none" stroke="${ink}" opacity=".55"/>` +
      `<text x="32" y="55" font-size="31" font-family="Georgia,'Times New Roman',serif" font-weight="700" text-anchor="middle" fill="${ink}">${rank}</text>` + pip(24, 22, .48) + pip(40, 68, .48, true) +
      (rank === "J" ? "" : `<path d="M22 ${rank === "K" ? "30l4-6 3 4 3-6 3 6 3-4 4 6" : "29q5-8 10-1 5-7 10 1"}" fill="none" stroke="#d6a12c" stroke-width="2"/>`);
    const turned = `<g transform="rotate(180 32 45)">${corner(rank, suit, ink)}</g>`;
    inside = corner(rank, suit, ink) + turned + inside;
  }
  return `<svg viewBox="0 0 64 90" role="img" aria-label="${spoken(card, mark)}" data-card="${card}"><rect x=".5" y=".5" width="63" height="89" rx="7" fill="#fffefb" stroke="#0003"/>${inside}${glow}${badge}</svg>`;
}
const BACK = `<svg viewBox="0 0 64 90" role="img" aria-label="a card face down"><rect x=".5" y=".5" width="63" height="89" rx="7" fill="#fffefb" stroke="#0003"/><rect x="4" y="4" width="56" height="82" rx="5" fill="#28527a"/><path d="M4 20 20 4M4 40 40 4M4 60 60 4M4 80 60 24M14 86 60 40M34 86 60 60M54 86 60 80M60 20 44 4M60 40 24 4M60 60 4 4M60 80 4 24M50 86 4 40M30 86 4 60M10 86 4 80" stroke="#fff" stroke-width="1.1" opacity=".38"/></svg>`;
const cards = (codes, trump, more = "") => codes.map(card => `<div class="card${more}">${face(card, trump)}</div>`).join("");
const backs = number => `<div class="card">${BACK}</div>`.repeat(number);

function where(seat, reach) {
  if (N === 2 && reach < 1) return [seat === (eyes ?? 0) ? 44 : 56, 50];
  const bottom = eyes ?? 0;
  const angle = Math.PI / 2 + 2 * Math.PI * ((seat - bottom + N) % N) / N;
  const phone = innerWidth <= 860;
  const [x, y] = phone ? [35, N === 2 ? 35 : 38.5] : [39, 36.5];
  return [50 + reach * x * Math.cos(angle), 50 + reach * y * Math.sin(angle)];
}
function seatHtml(f, seat) {
  const [hand, hidden, laid, covered, away, tricks, , , active] = f[`p${seat}`];
  const mine = eyes === null || eyes === undefined || eyes === seat;
  const codes = list(hand);
  const known = mine ? codes : [];
  const down = hidden + (mine ? 0 : codes.length);
  const legal = f.n === seat && mine ? new Set() : null;
  const [x, y] = where(seat, 1);
  const tags = (f.d === seat ? `<span class="tag" title="dealer">D</span>` : "") +
    (f.m === seat ? `<span class="tag maker" title="maker">maker${f.w ? ", " + esc(f.w) : ""}</span>` : "") +
    (f.l === seat ? `<span class="tag maker">defends alone</span>` : "") +
    (gone(seat) ? `<span class="tag ref" title="played by the referee after a fault">referee</span>` : "");
  const table = list(laid).length || covered ? `<div class="fan laid" aria-label="on the table">${cards(list(laid), f.T)}${backs(covered)}</div>` : "";
  const fan = known.length || down ? `<div class="fan">${cards(known, f.T)}${backs(down)}</div>` : "";
  const discards = mine && away ? `<div class="away">put away ${list(away).map(card => short(card)).join(" ")}</div>` : "";
  return `<div class="seat${active ? "" : " out"}" data-seat="${seat}" style="left:${x}%;top:${y}%;${fit(Math.max(known.length + down, list(laid).length + covered))}"><div class="rows${N === 2 ? " two" : ""}">${table}${fan}</div>
<div class="plate${f.n === seat ? " turn" : ""}${f.a === seat ? " acted" : ""}"><span>${seat}</span><b>${esc(D.seats[seat].bot)}</b>${tricks ? `<span class="pips" title="${tricks} tricks" aria-label="${tricks} tricks">${tricks > 5 ? tricks + "▮" : "▮".repeat(tricks)}</span>` : ""}${tags}</div>${discards}</div>`;
}
function fit(number) {
  const steps = number > 8 ? .36 : number > 5 ? .42 : .5;
  return `--step:calc(var(--cw)*${steps})`;
}
function gone(seat) {
  for (let k = 0; k <= at; k++) if (F[k].k === "fault" && F[k].y && F[k].y[0] === seat) return true;
  return false;
}
function middle(f) {
  const parts = [];
  if (f.u && f.u[1] === "up") parts.push(`<div class="pile"><div class="card">${face(f.u[0], f.T)}</div>turned up</div>`);
  else if (f.u && f.u[1] === "down") parts.push(`<div class="pile down"><div class="card">${face(f.u[0], f.T)}</div>turned down</div>`);
  for (const [name, codes, number] of f.o) {
    const open = (eyes === null || eyes === undefined) && codes;
    parts.push(`<div class="pile"><div class="fan">${open ? cards(list(codes), f.T) : backs(Math.min(number, 6))}</div>${esc(name)}${open ? "" : " · " + number}</div>`);
  }
  return f.r.length ? "" : `<div id="middle">${parts.join("")}</div>`;
}
function trickHtml(f) {
  return f.r.map(([seat, card, chosen], place) => {
    const [x, y] = where(seat, N > 4 ? .44 : .36);
    return `<div class="played${f.v === seat ? " won" : ""}${chosen ? " sub" : ""}" style="left:${x}%;top:${y}%;z-index:${place + 2}"><div class="card">${face(card, f.T)}</div>${f.v === seat ? `<span class="who">takes it</span>` : ""}</div>`;
  }).join("");
}
function drawTable(f) {
  const wide = innerWidth > 860;
  const most = Math.max(...Array.from({length: N}, (_, seat) => list(f[`p${seat}`][0]).length + f[`p${seat}`][1]));
  let width = wide ? (N > 6 ? 5.2 : N > 4 ? 5.7 : 6.8) : (N > 6 ? 8.6 : N > 4 ? 9.6 : 12.4);
  if (most > 7 && N > 3) width *= .85;
  if (!wide && N === 2) width = 10.5;
  $("table").style.setProperty("--cw", `${width}cqw`);
  $("table").innerHTML = Array.from({length: N}, (_, seat) => seatHtml(f, seat)).join("") + middle(f) + trickHtml(f);
}
const said = f => eyes !== null && eyes !== undefined && f.q && f.a !== eyes ? f.q : f.t;

function drawSide(f) {
  const text = said(f);
  $("said").className = f.k === "fault" ? "fault" : "";
  $("said").innerHTML = `<span>${f.k === "fault" ? "⚠ " : ""}${red(text)}${f.b & 2 ? ' <span class="tag ref">chosen by the referee</span>' : f.b & 1 ? ' <span class="soft">(no choice)</span>' : ""}</span>`;
  const own = eyes === null || eyes === undefined || f.a === eyes;
  const limit = D.clock.decision;
  if (f.k === "fault" && f.y[2]) $("timing").innerHTML = bar(f.y[3], f.y[2], "when it failed");
  else $("timing").innerHTML = f.z === null || f.z === undefined || f.k !== "action" || !own ? `<span class="soft">&nbsp;</span>` : bar(f.z, limit, "a decision");
  const sign = f.T ? `<span class="trump${f.T === "h" || f.T === "d" ? " redsuit" : ""}" aria-hidden="true">${SIGN[f.T]}</span>` : `<span class="trump soft" aria-hidden="true">·</span>`;
  const maker = f.m === null ? (f.T ? "no maker" : f.g || "") : `maker: seat ${f.m} (${D.seats[f.m].bot})`;
  const bits = [f.c ? `contract ${f.c}` : "", f.w, f.l !== null ? `seat ${f.l} defends alone` : "", ...f.f.map(([name, value]) => `${name}: ${value}`)].filter(Boolean);
  $("contract").innerHTML = `${sign}<div><b>${f.T ? (f.T === "nt" ? "No trump" : "Trump " + SUIT[f.T]) : "No trump named yet"}</b><br><span class="soft">${esc(maker)}${bits.length ? " · " + esc(bits.join(" · ")) : ""}</span></div>`;
  const games = f.p0[7] !== null;
  const banks = D.clock.bank > 0 && f.p0.some && Array.from({length: N}, (_, seat) => f[`p${seat}`][10]).some(value => value !== null);
  document.querySelector(".score thead").innerHTML = `<tr><th scope="col">seat</th><th scope="col">score</th>${games ? '<th scope="col">games</th>' : ""}<th scope="col">tricks</th>${banks ? '<th scope="col">reserve</th>' : ""}</tr>`;
  document.querySelector(".score tbody").innerHTML = D.seats.map((one, seat) => {
    const place = f[`p${seat}`];
    return `<tr class="${f.n === seat ? "turn" : ""}"><td>${seat} · ${esc(one.bot)}${D.teams ? ` <span class="soft">${"AB"[place[9]] || ""}</span>` : ""}</td><td>${place[6]}</td>${games ? `<td>${place[7]}</td>` : ""}<td>${place[5]}</td>${banks ? `<td>${place[10] === null ? "" : (place[10] / 1000).toFixed(1) + " s"}</td>` : ""}</tr>`;
  }).join("");
  const show = f.e.length && own;
  const did = D.frames[at] && f.a !== null ? token(f) : "";
  $("choices").hidden = !show;
  $("choices").innerHTML = show ? `<div class="soft">seat ${f.a} could choose</div><div class="legal">${f.e.map(one => `<span class="${one === did ? "did" : ""}">${red(pretty(one))}</span>`).join("")}</div>` : "";
}
const token = f => f.i || "";
const pretty = text => text.split(" ").map(word => /^([AKQJT2-9][shdc]|X[123rb])$/.test(word) ? short(word) : SIGN[word] || word).join(" ");
function bar(ms, limit, what) {
  const share = limit ? Math.min(1, ms / limit) : 0;
  return `<span class="soft">${ms} ms of ${limit} ms ${what}</span><div class="clock" role="img" aria-label="${ms} of ${limit} milliseconds"><i class="${ms > limit ? "over" : ""}" style="width:${(100 * share).toFixed(1)}%"></i></div>`;
}
function tricksOf(hand) {
  const found = [];
  F.forEach((f, index) => { if (f.h === hand && f.v !== null && f.k === "action") found.push([index, f]); });
  return found;
}
function drawHand(f) {
  const first = F.findIndex(one => one.h === f.h);
  const tricks = tricksOf(f.h);
  const current = tricks.findIndex(([index]) => index >= at);
  const before = tricks.length ? tricks[0][0] - (tricks[0][1].r.length - 1) : Infinity;
  const calls = `<button type="button" data-at="${first}" aria-current="${at < before}">deal<small>and call</small></button>`;
  const last = F.findLastIndex(one => one.h === f.h);
  const over = F[last].k === "end" ? `<button type="button" data-at="${last}" aria-current="${at === last}">score<small>hand ${f.h}</small></button>` : "";
  $("tricks").innerHTML = calls + tricks.map(([index, one], place) => `<button type="button" data-at="${index}" aria-current="${at >= before && place === current}" aria-label="trick ${one.x + 1}, taken by seat ${one.v}">${one.r.map(([, card]) => red(short(card))).join(" ")}<small>${one.x + 1} · seat ${one.v}</small></button>`).join("") + over;
  $("log").innerHTML = F.map((one, index) => one.h === f.h && said(one) ? `<li><button type="button" class="${one.k === "fault" ? "fault" : ""}" data-at="${index}" aria-current="${index === at}">${red(said(one))}</button></li>` : "").join("");
  for (const box of [$("tricks"), $("log")]) {
    const now = box.querySelector("[aria-current=true]");
    if (now) {
      if (box.id === "log") box.scrollTop = now.offsetTop - box.offsetTop - box.clientHeight / 2;
      else box.scrollLeft = now.offsetLeft - box.offsetLeft - box.clientWidth / 2;
    }
  }
  $("hands").value = f.h;
}
function draw(push = true) {
  const f = F[at];
  drawTable(f);
  drawSide(f);
  drawHand(f);
  document.querySelector("#slide input").value = at;
  document.querySelector("#slide input").setAttribute("aria-valuetext", `hand ${f.h}, step ${f.s}`);
  $("place").textContent = `hand ${f.h} · step ${f.s}`;
  $("step-").disabled = at === 0;
  $("step+").disabled = at === F.length - 1;
  if (push) history.replaceState(null, "", `#hand=${f.h}&step=${f.s}${D.only === null && eyes !== null ? "&seat=" + eyes : ""}`);
}
const go = index => { at = Math.max(0, Math.min(F.length - 1, index)); draw(); };
const next = (test, from = at + 1) => { const found = F.findIndex((f, index) => index >= from && test(f)); return found < 0 ? at : found; };
const previous = test => { for (let k = at - 1; k >= 0; k--) if (test(F[k])) return k; return 0; };
const jumps = {
  "step-": () => go(at - 1), "step+": () => go(at + 1),
  "trick+": () => go(next(f => f.v !== null && f.k === "action")), "trick-": () => go(previous(f => f.v !== null && f.k === "action")),
  "hand+": () => go(next(f => f.h > F[at].h)), "hand-": () => go(F.findIndex(f => f.h === (F[at].s > 0 ? F[at].h : Math.max(F[0].h, F[at].h - 1)))),
  "fault+": () => { const found = next(f => f.k === "fault"); go(found !== at ? found : next(f => f.k === "fault", 0)); },
  start: () => go(0), end: () => go(F.length - 1)
};
const KEYS = {ArrowRight: "step+", ArrowLeft: "step-", ArrowDown: "trick+", ArrowUp: "trick-", PageDown: "hand+", PageUp: "hand-", Home: "start", End: "end", f: "fault+", F: "fault+", " ": "step+"};

function followHash() {
  const wish = new URLSearchParams(location.hash.slice(1));
  if (D.only === null && wish.has("seat") && +wish.get("seat") < N) eyes = +wish.get("seat");
  if ($("eyes")) $("eyes").value = eyes === null ? "" : eyes;
  const hand = +(wish.get("hand") ?? F[0].h), step = +(wish.get("step") ?? 0);
  const found = F.findIndex(f => f.h === hand && f.s >= step);
  at = found < 0 ? Math.max(0, F.findLastIndex(f => f.h === hand)) : found;
  draw(false);
}
function about() {
  const rows = [["variant", D.variant], ["options", D.options.map(([key, value]) => `${key} = ${value}`).join(", ") || "all by default"],
    ...D.seats.map((one, seat) => [`seat ${seat}`, `${one.bot} ${one.version}`]),
    ["clock", `${D.clock.decision} ms a decision, reserve ${D.clock.bank} ms, ${D.clock.increment} ms more each hand`],
    ["conditions", D.conditions], ["ended", D.result.ended], ["places", D.result.ranks.map((rank, seat) => `seat ${seat}: ${rank}`).join(", ")],
    ["commitment", D.commitment], ...D.faults.map(fault => ["fault", `${fault.kind} of seat ${fault.seat} in hand ${fault.hand}${fault.detail ? ": " + fault.detail : ""}`])];
  $("about").innerHTML = rows.map(([name, value]) => `<dt>${esc(name)}</dt><dd>${esc(value)}</dd>`).join("");
}
about();
$("theme").onclick = () => {
  const root = document.documentElement;
  const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = dark ? "light" : "dark";
};
if ($("download")) $("download").href = URL.createObjectURL(new Blob([D.record], {type: "application/toml"}));
if (!F.length) {
  $("table").innerHTML = "";
  $("said").textContent = "This game was not played: " + D.faults.map(fault => `seat ${fault.seat} ${fault.kind} ${fault.detail}`).join("; ");
  $("bar").hidden = true;
  return;
}
document.querySelector("#slide input").max = F.length - 1;
document.querySelector("#slide input").oninput = event => go(+event.target.value);
$("marks").innerHTML = F.map((f, index) => f.k === "fault" ? `<i style="left:${(100 * index / Math.max(1, F.length - 1)).toFixed(2)}%"></i>` : "").join("");
$("hands").innerHTML = [...new Set(F.map(f => f.h))].map(hand => `<option value="${hand}">hand ${hand}</option>`).join("");
$("hands").onchange = event => go(F.findIndex(f => f.h === +event.target.value));
if ($("eyes")) $("eyes").onchange = event => { eyes = event.target.value === "" ? null : +event.target.value; draw(); };
$("fault+").hidden = !F.some(f => f.k === "fault");
for (const name of ["hand-", "step-", "step+", "trick+", "hand+", "fault+"]) $(name).onclick = jumps[name];
document.addEventListener("click", event => { const button = event.target.closest("[data-at]"); if (button) go(+button.dataset.at); });
document.addEventListener("keydown", event => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches("select") || (event.key === " " && event.target.matches("button,summary,a"))) return;
  if (event.target.matches("input") && event.key.startsWith("Arrow") === false && !KEYS[event.key]) return;
  const jump = KEYS[event.key];
  if (jump) { event.preventDefault(); jumps[jump](); }
});
addEventListener("hashchange", followHash);
addEventListener("resize", () => drawTable(F[at]));
followHash();
})();
