"use strict";
/* The page of a person at a seat. Frames wait in a queue, so that an eye can follow; then the choices are shown. */
(() => {
const D = JSON.parse(document.getElementById("data").textContent);
const $ = id => document.getElementById(id);
const {esc, red, face, spoken} = Cards;
/* Milliseconds for a step that others make, and for a finished trick. */
const PACE = 350, TRICK = 1100;
let eyes = D.seat, queue = [], rows = [0], shown = null, timer = 0, hand = -1, live = false, open = null, gone = new Set();
const table = tableDrawing($("table"), {...D, strip: $("hand")}), beside = besideTable(D);

function show(f) {
  shown = f;
  if (f.h !== hand) { hand = f.h; $("log").innerHTML = ""; }
  const wide = rowsOf([f], D.seats.length);
  if (wide.length !== rows.length || wide.some((one, at) => one > rows[at])) {
    rows = wide.map((one, at) => Math.max(one, rows[at] ?? 0));
    table.fit(rows, eyes);
  }
  table.draw(f, eyes, gone);
  beside.draw(f, eyes);
  if (f.t) {
    $("log").insertAdjacentHTML("beforeend", `<li>${red(ten(f.t))}</li>`);
    $("log").scrollTop = $("log").scrollHeight;
  }
}
const handle = {
  game(one) {
    gone = new Set();
    rows = [0];
    hand = -1;
    open = null;
    $("over").hidden = $("turned").hidden = $("lessons").hidden = true;
    document.body.classList.remove("ended");
    $("log").innerHTML = "";
    $("who").textContent = one.lines.join(" ");
    choices();
  },
  frame(f) { show(f); if (f.k === "deal" && f.h) $("turned").hidden = true; },
  turned(one) {
    $("turned").hidden = false;
    $("turned").querySelector("h2").textContent = `The hands of hand ${one.hand}, turned over`;
    $("hands").innerHTML = one.rows.map(([name, cards]) => `<dt>${esc(name)}</dt><dd>${red(ten(cards))}</dd>`).join("");
  },
  lessons(one) {
    $("lessons").hidden = false;
    const mistakes = one.rows.filter(row => row.cost).length;
    $("lessons").querySelector("h2").textContent = `Your choices in hand ${one.hand}`;
    $("lessons").querySelector("p").textContent = mistakes ? `Champion finds ${mistakes === 1 ? "one mistake" : `${mistakes} mistakes`} of yours.` : one.none;
    const bar = ([words, worth, share, chosen]) => `<span class="${chosen ? "did" : ""}">${red(ten(words))}</span><i class="bar"><i data-css="width:${share}%"></i></i><small>${esc(worth)}</small>`;
    fill($("judged"), one.rows.map(row => `<details${row.cost ? " open" : ""}><summary>${red(ten(row.words))} <small class="${row.cost ? "cost" : "soft"}">${red(ten(row.mark))}</small></summary><div class="legal worths">${row.choices.map(bar).join("")}</div></details>`).join(""));
  },
  ask(one) { open = one; choices(); },
  answered(one) { if (open && open.number === one.number) { open = null; choices(); } },
  elsewhere() { location.reload(); },
  remark(one) { $("hint").textContent = one.text; },
  over(one) {
    open = null;
    choices("The game is over");
    $("over").hidden = false;
    document.body.classList.add("ended");
    $("result").innerHTML = one.lines.map(line => `<p>${red(line)}</p>`).join("");
    $("recorded").textContent = one.replay ? `It is recorded: bowerbird replay ${one.replay}` : "";
    $("shown").hidden = !one.address;
    if (one.address) $("shown").href = one.address;
    $("same").focus();
  }
};
const ten = text => text.replace(/\bT(?=[♠♥♦♣])/g, "10");
const readOut = (one, marks) => one.words.replace(/[2-9TJQKA][♠♥♦♣]/, spoken(one.card, marks[one.card]));
function choices(otherwise = "Wait for the others …") {
  $("question").textContent = open ? open.question : otherwise;
  $("hint").textContent = "";
  $("ask").disabled = $("resign").disabled = !open;
  const marks = shown ? D.marks[shown.T] || {} : {};
  $("options").innerHTML = !open ? "" : open.choices.map((one, at) => one.card
    ? `<button type="button" class="face" data-at="${at}" title="${esc(one.words)}"><span class="sr">${esc(readOut(one, marks))}</span><span class="card" aria-hidden="true">${face(one.card, marks[one.card])}</span><small aria-hidden="true">${at + 1}</small></button>`
    : `<button type="button" data-at="${at}"><small aria-hidden="true" class="soft">${at + 1}</small> ${red(one.words)}</button>`).join("");
  if (open) $("options").querySelector("button").focus({preventScroll: true});
}
const wait = f => f.v !== null && f.k === "action" ? TRICK : f.k === "end" ? TRICK : PACE;
/* Browsers slow down the timers of hidden tabs, to one a minute at worst, so there no step waits. */
function step() {
  timer = 0;
  while (queue.length) {
    const [kind, value] = queue.shift();
    handle[kind](value);
    const own = kind === "frame" && value.a === D.seat && value.v === null;
    if (live && kind === "frame" && !own && !document.hidden) { timer = setTimeout(step, wait(value)); return; }
  }
}
function put(kind, value) {
  if (kind === "game") { clearTimeout(timer); timer = 0; queue = []; }
  queue.push([kind, value]);
  if (!live) while (queue.length) { const next = queue.shift(); handle[next[0]](next[1]); }
  else if (!timer) step();
}
async function send(what, wish) {
  const answer = await fetch(what, {method: "POST", headers: {"content-type": "application/json"}, body: JSON.stringify(wish)});
  if (answer.ok) return answer.json();
  $("hint").textContent = (await answer.text()).trim();
  return null;
}
async function pick(at) {
  if (!open || !open.choices[at]) return;
  const asked = open;
  open = null;
  choices();
  if (await send("choose", {number: asked.number, action: asked.choices[at].token}) === null) { open = null; choices(); }
}
async function hint() {
  if (!open) return;
  const asked = open;
  $("hint").textContent = "…";
  const told = await send("hint", {number: asked.number});
  if (!told || open !== asked) return;
  $("hint").innerHTML = red(told.text);
  const at = asked.choices.findIndex(one => one.token === told.token);
  const button = $("options").querySelector(`[data-at="${at}"]`);
  if (button) button.classList.add("told");
}
$("options").addEventListener("click", event => { const button = event.target.closest("[data-at]"); if (button) pick(+button.dataset.at); });
$("ask").onclick = hint;
$("trick").onclick = () => { $("hint").innerHTML = red(open ? open.last : "Ask when it is your turn."); };
$("resign").onclick = () => { if (open && confirm("Resign? The game is recorded as lost.")) send("resign", {number: open.number}); };
$("same").onclick = () => send("another", {deal: "same"});
$("new").onclick = () => send("another", {deal: "new"});
document.addEventListener("keydown", event => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (/^[1-9]$/.test(event.key)) pick(+event.key - 1);
  else if (event.key === "?") hint();
  else if (event.key === "t") $("trick").click();
  else if (event.key === "ArrowRight" || event.key === "ArrowLeft") {
    const all = [...$("options").querySelectorAll("button")], at = all.indexOf(document.activeElement);
    if (all.length) all[(at + (event.key === "ArrowRight" ? 1 : -1) + all.length) % all.length].focus();
  } else return;
  event.preventDefault();
});
addEventListener("resize", () => { if (shown) { table.fit(rows, eyes); table.draw(shown, eyes, gone); } });
document.addEventListener("visibilitychange", () => { if (document.hidden && timer) { clearTimeout(timer); step(); } });
themeSwitch();
const stream = new EventSource("events");
stream.onopen = () => { live = false; queue = []; clearTimeout(timer); timer = 0; $("moving").textContent = ""; };
stream.onerror = () => { $("moving").textContent = "not connected"; };
for (const kind of Object.keys(handle)) stream.addEventListener(kind, event => put(kind, JSON.parse(event.data)));
stream.addEventListener("now", () => { live = true; });
})();
