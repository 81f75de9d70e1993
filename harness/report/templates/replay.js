"use strict";
(() => {
const D = JSON.parse(document.getElementById("data").textContent);
const $ = id => document.getElementById(id);
const N = D.seats.length;
const F = [];
for (const change of D.frames) F.push({...F[F.length - 1], ...change});
const {esc, red, short, pretty} = Cards;
const beside = besideTable(D);
let at = 0, eyes = D.only, table = null;

const seesAll = () => eyes === null || eyes === undefined;
const said = f => beside.said(f, eyes);
/* The seats for which the referee plays at this step, after a fault. */
const gone = () => new Set(F.slice(0, at + 1).filter(f => f.k === "fault" && f.y).map(f => f.y[0]));
/* What is said about this decision. As one seat: about its own. */
const saidOf = f => f.k === "action" && (seesAll() || f.a === eyes) ? D.said_of[`${f.h}/${f.s}`] : undefined;
/* The legal actions: as they stand, or with their values, the best first. */
function choicesHtml(f, about) {
  const chip = one => `<span class="${one === f.i ? "did" : ""}">${red(pretty(one))}</span>`;
  if (!about) return `<div class="legal">${f.e.map(chip).join("")}</div>`;
  const [text, share] = [0, 1].map(part => one => about.values[one]?.[part] ?? "");
  const row = one => `${chip(one)}<i class="bar"><i data-css="width:${share(one)}%"></i></i><small>${esc(text(one))}</small>`;
  return `<div class="legal worths">${[...f.e].sort((one, other) => text(other) - text(one)).map(row).join("")}</div><p class="about">${red(pretty(about.text))}</p><p class="about soft">${esc(D.said_of_values)}</p>`;
}
const shortOf = f => saidOf(f)?.short ? ` <small class="cost">${esc(saidOf(f).short)}</small>` : "";
function drawChoices(f) {
  const show = f.e.length && (seesAll() || f.a === eyes);
  $("choices").hidden = !show;
  const about = saidOf(f);
  fill($("choices"), show ? `<div class="soft">seat ${f.a} could choose</div>${choicesHtml(f, about)}` : "");
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
/* What the bot noted about this action. As one seat: its own notes, if its process played no other seat. */
function drawNote(f) {
  const lines = f.k === "action" && (seesAll() || (D.own_notes && f.a === eyes)) ? D.notes[`${f.h}/${f.s}`] : undefined;
  $("note").hidden = !lines;
  $("note").innerHTML = lines ? `<div class="soft">note of seat ${f.a}</div><pre>${esc(lines.join("\n"))}</pre>` : "";
}
/* What is said about the whole hand: only where all hands are open. */
function drawPar(f) {
  const about = seesAll() ? D.said_of_hands[f.h] : undefined;
  const row = (cells, tag) => `<tr>${cells.map((one, place) => place ? `<${tag}>${esc(one)}</${tag}>` : `<th scope="${tag === "th" ? "col" : "row"}">${esc(one)}</th>`).join("")}</tr>`;
  $("par").hidden = !about;
  const costly = F.findIndex(one => one.h === f.h && saidOf(one)?.in_time);
  const jump = costly < 0 ? "" : `<p class="about">costliest moment: <button type="button" data-at="${costly}">${red(said(F[costly]))}</button></p>`;
  $("par").innerHTML = about ? `<table class="par"><caption class="soft">${esc(about.title)}</caption><thead>${row(about.columns, "th")}</thead><tbody>${about.rows.map(one => row(one, "td")).join("")}</tbody></table><p class="about soft">${esc(about.note)}</p>${jump}` : "";
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
  $("log").innerHTML = F.map((one, index) => one.h === f.h && said(one) ? `<li><button type="button" class="${one.k === "fault" ? "fault" : ""}" data-at="${index}" aria-current="${index === at}">${red(said(one))}${shortOf(one)}</button></li>` : "").join("");
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
  table.draw(f, eyes, gone());
  beside.draw(f, eyes);
  drawChoices(f);
  drawStory(f);
  drawNote(f);
  drawPar(f);
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

/* The step of a decision about which something is said, by its number in the record; that of the deal if nothing is. */
const stepOf = (hand, action) => F.find(f => f.h === hand && D.said_of[`${f.h}/${f.s}`]?.action === action)?.s ?? 0;
function followHash() {
  const wish = new URLSearchParams(location.hash.slice(1));
  if (D.only === null) eyes = wish.has("seat") && +wish.get("seat") < N ? +wish.get("seat") : null;
  if ($("eyes")) $("eyes").value = eyes === null ? "" : eyes;
  const hand = Math.min(+(wish.get("hand") ?? F[0].h) || 0, F[F.length - 1].h), step = wish.has("action") ? stepOf(hand, +wish.get("action")) : +(wish.get("step") ?? 0);
  const found = F.findIndex(f => f.h === hand && f.s >= step);
  at = found < 0 ? Math.max(0, F.findLastIndex(f => f.h === hand)) : found;
  draw(false);
  const asked = wish.get("hand");
  if (asked !== null && !F.some(f => f.h === +asked)) $("place").textContent = `no hand ${asked}; this is hand ${F[at].h}`;
}
const clockText = c => `${c.decision} ms a decision, bank ${c.bank} ms, increment ${c.increment} ms a hand` + (c.game ? `, at most ${c.game} ms a game` : "");
function about() {
  const rows = [["variant", D.variant], ["options", D.options.map(([key, value]) => `${key} = ${value}`).join(", ") || "all by default"],
    ...D.seats.map((one, seat) => [`seat ${seat}`, `${one.bot} ${one.version}` + (one.clock ? `, its own clock: ${clockText(one.clock)}` : "")]),
    ["clock", clockText(D.clock)],
    ["conditions", D.conditions], ["ended", D.result.ended], ["places", D.result.ranks.map((rank, seat) => `seat ${seat}: ${rank}`).join(", ")],
    ["commitment", D.commitment], ...D.faults.map(fault => ["fault", `${fault.kind} of seat ${fault.seat} in hand ${fault.hand}${fault.detail && (seesAll() || eyes === fault.seat) ? ": " + fault.detail : ""}`])];
  $("about").innerHTML = rows.map(([name, value]) => `<dt>${esc(name)}</dt><dd>${esc(value)}</dd>`).join("");
}
about();
themeSwitch();
if ($("download")) $("download").href = URL.createObjectURL(new Blob([D.record], {type: "application/toml"}));
if (!F.length) {
  $("table").innerHTML = "";
  $("said").textContent = "This game was not played: " + D.faults.map(fault => `seat ${fault.seat} ${fault.kind} ${fault.detail}`).join("; ");
  $("story").innerHTML = D.faults.map(fault => storyHtml(fault.seat)).map((story, place) => story && `<h3>seat ${D.faults[place].seat}, ${esc(D.faults[place].kind)}</h3>${story}`).join("");
  $("story").hidden = !$("story").innerHTML;
  $("bar").hidden = true;
  return;
}
table = tableDrawing($("table"), {...D, strip: $("hand")});
const rows = rowsOf(F, N);
document.querySelector("#slide input").max = F.length - 1;
document.querySelector("#slide input").oninput = event => go(+event.target.value);
fill($("marks"), F.map((f, index) => f.k === "fault" || D.said_of[`${f.h}/${f.s}`]?.in_time ? `<i class="${f.k}" data-css="left:${(100 * index / Math.max(1, F.length - 1)).toFixed(2)}%"></i>` : "").join(""));
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
addEventListener("resize", () => { table.fit(rows, eyes); table.draw(F[at], eyes, gone()); });
table.fit(rows, eyes);
followHash();
})();
