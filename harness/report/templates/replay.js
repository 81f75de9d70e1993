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
  const badge = mark && MARK[mark][0] ? `<circle cx="9" cy="42" r="7.5" fill="#d6a12c"/><text x="9" y="46" font-size="11" font-weight="800" text-anchor="middle" fill="#241a03">${MARK[mark][0]}</text>` : "";
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

const seesAll = () => eyes === null || eyes === undefined;
/* How many cards a seat's rows hold at most in this game; with two seats there are two rows. */
const ROWS = (() => {
  const most = count => Math.max(0, ...F.flatMap(f => Array.from({length: N}, (_, seat) => count(f[`p${seat}`], f, seat))));
  const hand = place => list(place[0]).length + place[1], laid = place => list(place[2]).length + place[3];
  const pile = (_, f, seat) => f.o.filter(one => one[3] === seat).reduce((sum, one) => sum + one[2], 0);
  if (N > 2) return [most(place => hand(place) + laid(place))];
  const other = most((place, f, seat) => laid(place) + pile(place, f, seat));
  return other ? [other, most(hand)] : [most(hand)];
})();
let L = null;
function measure() {
  const table = $("table"), tall = table.clientHeight > table.clientWidth;
  table.classList.toggle("tall", tall);
  L = tableLayout({width: table.clientWidth, height: table.clientHeight, count: N, rows: ROWS, beside: !tall, tall});
  const across = one => `${(100 * one / table.clientWidth).toFixed(2)}cqw`;
  for (const [name, value] of [["--cw", L.card], ["--sw", L.box[0]], ["--sh", L.box[1]]]) table.style.setProperty(name, across(value));
  table.style.setProperty("--step", L.step);
  table.style.borderRadius = `${L.radius + 12}px`;
}
function placed(spot) {
  return `left:${(100 * spot[0] / $("table").clientWidth).toFixed(2)}%;top:${(100 * spot[1] / $("table").clientHeight).toFixed(2)}%`;
}
/* The place of a seat on the table: the reader's own is at the bottom. */
const spot = (places, seat) => placed(places[(seat - (eyes ?? 0) + N) % N]);
const tag = (text, kind = "", title = "") => `<span class="tag ${kind}"${title ? ` title="${title}"` : ""}>${text}</span>`;
function tagsHtml(f, seat) {
  const [, , , , , tricks, score, , , side] = f[`p${seat}`];
  const partner = !D.teams && f.m !== null && f.m !== seat && f[`p${f.m}`][9] === side;
  return [
    tag(score, "points", "score"),
    tricks ? `<span class="pips" role="img" title="${tricks} tricks" aria-label="${tricks} tricks">${tricks > 5 ? tricks + "▮" : "▮".repeat(tricks)}</span>` : "",
    f.d === seat ? tag("D", "", "dealer") : "",
    f.m === seat ? tag(`maker${f.T ? " " + SIGN[f.T] : ""}`, "maker") + (f.w ? tag(esc(f.w), "maker") : "") : partner ? tag("partner", "maker") : "",
    f.l === seat ? tag("defends alone", "maker") : "",
    gone(seat) ? tag("referee", "ref", "played by the referee after a fault") : ""
  ].join("");
}
function seatHtml(f, seat) {
  const [hand, hidden, laid, covered, , , , , active] = f[`p${seat}`];
  const mine = seesAll() || eyes === seat;
  const known = mine ? list(hand) : [], down = hidden + list(hand).length - known.length;
  const fan = (inside, what) => inside ? `<div class="fan"${what ? ` title="${what}"` : ""}>${inside}</div>` : "";
  const piles = f.o.filter(one => one[3] === seat).map(one => fan(pileCards(one, f), esc(one[0])));
  const rows = [fan(cards(list(laid), f.T) + backs(covered), "on the table"), ...piles, fan(cards(known, f.T) + backs(down))].join("");
  return `<div class="seat${active ? "" : " out"}" data-seat="${seat}" data-css="${spot(L.seats, seat)}"><div class="rows">${rows}</div>
<div class="plate${f.n === seat ? " turn" : ""}${f.a === seat ? " acted" : ""}"><span>${seat}</span><b title="${esc(D.seats[seat].bot)}">${esc(D.seats[seat].bot)}</b></div><div class="tags">${tagsHtml(f, seat)}</div></div>`;
}
function gone(seat) {
  for (let k = 0; k <= at; k++) if (F[k].k === "fault" && F[k].y && F[k].y[0] === seat) return true;
  return false;
}
const pileCards = ([, codes, number], f) => seesAll() && codes ? cards(list(codes), f.T) : backs(number);
function middle(f) {
  if (f.r.length) return "";
  const pile = (inside, name, more = "") => `<div class="pile${more}"><div class="fan">${inside}</div><span>${esc(name)}</span></div>`;
  const parts = f.o.filter(one => one[3] === null).map(one => pile(pileCards(one, f), one[0]));
  if (f.u && f.u[1] === "up") parts.unshift(pile(cards([f.u[0]], f.T), "turned up"));
  else if (f.u && f.u[1] === "down") parts.unshift(pile(cards([f.u[0]], f.T), "turned down", " down"));
  const fans = [...(f.u && ["up", "down"].includes(f.u[1]) ? [1] : []), ...f.o.filter(one => one[3] === null).map(one => one[2])];
  const across = fans.reduce((sum, number) => sum + 1 + (number - 1) * L.step, 0);
  const card = Math.min(L.card, (L.inner[0] - 10 * (fans.length - 1)) / Math.max(1, across), (L.inner[1] - 22) * 64 / 90);
  return `<div id="middle" data-css="--cw:${(100 * card / $("table").clientWidth).toFixed(2)}cqw">${parts.join("")}</div>`;
}
function trickHtml(f) {
  return f.r.map(([seat, card, chosen], place) =>
    `<div class="played${f.v === seat ? " won" : ""}${chosen ? " sub" : ""}" title="seat ${seat}${f.v === seat ? " takes it" : ""}${chosen ? ", chosen by the referee" : ""}" data-seat="${seat}" data-css="${spot(L.tricks, seat)};z-index:${place + 2}"><div class="card">${face(card, f.T)}</div></div>`).join("");
}
function drawTable(f) {
  const sign = f.T ? `<div id="suit" class="${f.T}" aria-hidden="true">${SIGN[f.T]}</div>` : "";
  fill($("table"), sign + Array.from({length: N}, (_, seat) => seatHtml(f, seat)).join("") + middle(f) + trickHtml(f));
}
const said = f => !seesAll() && f.q && f.a !== eyes ? f.q : f.t;

function drawSide(f) {
  const text = said(f);
  $("said").className = f.k === "fault" ? "fault" : "";
  $("said").innerHTML = `<span>${f.k === "fault" ? "⚠ " : ""}${red(text)}${f.b & 2 ? ' <span class="tag ref">chosen by the referee</span>' : f.b & 1 ? ' <span class="soft">(no choice)</span>' : ""}</span>`;
  const own = seesAll() || f.a === eyes;
  const limit = D.clock.decision;
  if (f.k === "fault" && f.y[2]) fill($("timing"), bar(f.y[3], f.y[2], "when it failed"));
  else fill($("timing"), f.z === null || f.z === undefined || f.k !== "action" || !own ? `<span class="soft">&nbsp;</span>` : bar(f.z, limit, "a decision"));
  const away = Array.from({length: N}, (_, seat) => [seat, list(f[`p${seat}`][4])]).filter(([seat, codes]) => codes.length && (seesAll() || seat === eyes));
  const put = away.length ? `<br><span class="soft">put away: ${away.map(([seat, codes]) => `seat ${seat} ${red(codes.map(short).join(" "))}`).join(", ")}</span>` : "";
  const sign = f.T ? `<span class="trump${f.T === "nt" ? " none" : f.T === "h" || f.T === "d" ? " redsuit" : ""}" aria-hidden="true">${SIGN[f.T]}</span>` : `<span class="trump soft" aria-hidden="true">·</span>`;
  const maker = f.m === null ? (f.T ? "no maker" : f.g || "") : `maker: seat ${f.m} (${D.seats[f.m].bot})`;
  const bits = [f.c ? `contract ${f.c}` : "", f.w, f.l !== null ? `seat ${f.l} defends alone` : "", ...f.f.map(([name, value]) => `${name}: ${value}`)].filter(Boolean);
  $("contract").innerHTML = `${sign}<div><b>${f.T ? (f.T === "nt" ? "No trump" : "Trump " + SUIT[f.T]) : "No trump named yet"}</b><br><span class="soft">${esc(maker)}${bits.length ? " · " + esc(bits.join(" · ")) : ""}</span>${put}</div>`;
  const games = f.p0[7] !== null;
  const banks = D.clock.bank > 0 && Array.from({length: N}, (_, seat) => f[`p${seat}`][10]).some(value => value !== null);
  document.querySelector(".score thead").innerHTML = `<tr><th scope="col">seat</th><th scope="col">score</th>${games ? '<th scope="col">games</th>' : ""}<th scope="col">tricks</th>${banks ? '<th scope="col">bank</th>' : ""}</tr>`;
  document.querySelector(".score tbody").innerHTML = D.seats.map((one, seat) => {
    const place = f[`p${seat}`];
    return `<tr class="${f.n === seat ? "turn" : ""}"><td>${seat} · ${esc(one.bot)}${D.teams ? ` <span class="soft">${"AB"[place[9]] || ""}</span>` : ""}</td><td>${place[6]}</td>${games ? `<td>${place[7]}</td>` : ""}<td>${place[5]}</td>${banks ? `<td>${place[10] === null ? "" : (place[10] / 1000).toFixed(1) + " s"}</td>` : ""}</tr>`;
  }).join("");
  const show = f.e.length && own;
  const did = f.a !== null ? token(f) : "";
  $("choices").hidden = !show;
  $("choices").innerHTML = show ? `<div class="soft">seat ${f.a} could choose</div><div class="legal">${f.e.map(one => `<span class="${one === did ? "did" : ""}">${red(pretty(one))}</span>`).join("")}</div>` : "";
}
const token = f => f.i || "";
const pretty = text => text.split(" ").map(word => /^([AKQJT2-9][shdc]|X[123rb])$/.test(word) ? short(word) : SIGN[word] || word).join(" ");
function bar(ms, limit, what) {
  const share = limit ? Math.min(1, ms / limit) : 0;
  return `<span class="soft">${ms} ms of ${limit} ms ${what}</span><div class="clock" role="img" aria-label="${ms} of ${limit} milliseconds"><i class="${ms > limit ? "over" : ""}" data-css="width:${(100 * share).toFixed(1)}%"></i></div>`;
}
/* As one seat: no story of another seat, and no output of a process, which may have played other seats. */
function storyHtml(seat) {
  const story = D.stories[seat], all = seesAll();
  if (!story || !(all || eyes === seat)) return "";
  const rows = [["legal actions", red(story.legal.map(pretty).join(", "))], ["process", esc(story.ended)],
    ["end of stderr", all && story.words.length ? `<pre>${esc(story.words.join("\n"))}</pre>` : ""], ["full log", all ? esc(story.log) : ""]];
  return `<dl class="facts">${rows.filter(([, value]) => value).map(([name, value]) => `<dt>${name}</dt><dd>${value}</dd>`).join("")}</dl>`;
}
function drawStory(f) {
  const inside = f.k === "fault" ? storyHtml(f.y[0]) : "";
  $("story").hidden = !inside;
  $("story").innerHTML = inside;
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
  const before = tricks.length ? F.findIndex(one => one.h === f.h && one.r.length) : Infinity;
  const fault = f.k === "fault";
  const calls = `<button type="button" data-at="${first}" aria-current="${at < before && !fault}">deal<small>and call</small></button>`;
  const last = F.findLastIndex(one => one.h === f.h);
  const over = F[last].k === "end" ? `<button type="button" data-at="${last}" aria-current="${at === last}">score<small>hand ${f.h}</small></button>` : "";
  const stops = tricks.map(([index, one], place) => [index, `<button type="button" data-at="${index}" aria-current="${at >= before && place === current && !fault}" title="trick ${one.x + 1}, taken by seat ${one.v}">${one.r.map(([seat, card]) => seat === one.v ? `<b>${red(short(card))}</b>` : red(short(card))).join(" ")}<small>${one.x + 1} · seat ${one.v}</small></button>`]);
  F.forEach((one, index) => {
    if (one.h === f.h && one.k === "fault") stops.push([index, `<button type="button" class="fault" data-at="${index}" aria-current="${index === at}" title="fault, ${esc(one.y[1])} of seat ${one.y[0]}">⚠ ${esc(one.y[1])}<small>seat ${one.y[0]}</small></button>`]);
  });
  $("tricks").innerHTML = calls + stops.sort(([one], [other]) => one - other).map(([, button]) => button).join("") + over;
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
  drawStory(f);
  drawHand(f);
  about();
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
    ["clock", `${D.clock.decision} ms a decision, bank ${D.clock.bank} ms, increment ${D.clock.increment} ms a hand` + (D.clock.game ? `, at most ${D.clock.game} ms a game` : "")],
    ["conditions", D.conditions], ["ended", D.result.ended], ["places", D.result.ranks.map((rank, seat) => `seat ${seat}: ${rank}`).join(", ")],
    ["commitment", D.commitment], ...D.faults.map(fault => ["fault", `${fault.kind} of seat ${fault.seat} in hand ${fault.hand}${fault.detail && (seesAll() || eyes === fault.seat) ? ": " + fault.detail : ""}`])];
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
  $("story").innerHTML = D.faults.map(fault => storyHtml(fault.seat)).map((story, place) => story && `<h3>seat ${D.faults[place].seat}, ${esc(D.faults[place].kind)}</h3>${story}`).join("");
  $("story").hidden = !$("story").innerHTML;
  $("bar").hidden = true;
  return;
}
document.querySelector("#slide input").max = F.length - 1;
document.querySelector("#slide input").oninput = event => go(+event.target.value);
fill($("marks"), F.map((f, index) => f.k === "fault" ? `<i data-css="left:${(100 * index / Math.max(1, F.length - 1)).toFixed(2)}%"></i>` : "").join(""));
$("hands").innerHTML = [...new Set(F.map(f => f.h))].map(hand => `<option value="${hand}">hand ${hand}</option>`).join("");
$("hands").onchange = event => go(F.findIndex(f => f.h === +event.target.value));
if ($("eyes")) $("eyes").onchange = event => { eyes = event.target.value === "" ? null : +event.target.value; draw(); };
$("fault+").hidden = !F.some(f => f.k === "fault");
for (const name of ["hand-", "step-", "step+", "trick+", "hand+", "fault+"]) $(name).onclick = jumps[name];
document.addEventListener("click", event => { const button = event.target.closest("[data-at]"); if (button) go(+button.dataset.at); });
$("table").addEventListener("click", event => {
  const box = $("table").getBoundingClientRect();
  jumps[event.clientX < box.left + box.width / 3 ? "step-" : "step+"]();
});
document.addEventListener("keydown", event => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches("select") || (event.key === " " && event.target.matches("button,summary,a"))) return;
  if (event.target.matches("input") && event.key.startsWith("Arrow") === false && !KEYS[event.key]) return;
  const jump = KEYS[event.key];
  if (jump) { event.preventDefault(); jumps[jump](); }
});
addEventListener("hashchange", followHash);
addEventListener("resize", () => { measure(); drawTable(F[at]); });
measure();
followHash();
})();
