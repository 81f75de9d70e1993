"use strict";
/* Draws a table while it is played. Frames wait in a queue and are shown at a pace that a person can follow; "Catch up"
   shows the newest. No frame has a hand. */
(() => {
const D = JSON.parse(document.getElementById("data").textContent);
const $ = id => document.getElementById(id);
const {esc, red} = Cards;
/* The fans of hands that nobody sees are drawn small, and the cards of the trick large. */
const table = tableDrawing($("table"), {...D, strip: null, hands: .6}), beside = besideTable(D);
/* Most frames to be behind before the pace is left. */
const FAR = 120;
const gone = new Set();
let queue = [], rows = [0], shown = null, paused = false, timer = 0, hand = -1, over = null;

function show(f) {
  shown = f;
  if (f.h !== hand) { hand = f.h; $("log").innerHTML = ""; }
  if (f.k === "fault" && f.y) gone.add(f.y[0]);
  const wide = rowsOf([f], D.seats.length);
  if (wide.length !== rows.length || wide.some((one, at) => one > rows[at])) {
    rows = wide.map((one, at) => Math.max(one, rows[at] ?? 0));
    table.fit(rows, null);
  }
  table.draw(f, null, gone);
  beside.draw(f, null);
  if (f.t) {
    $("log").insertAdjacentHTML("beforeend", `<li${f.k === "fault" ? ' class="fault"' : ""}>${red(f.t)}</li>`);
    $("log").scrollTop = $("log").scrollHeight;
  }
}
function counted() {
  $("behind").textContent = queue.length > 1 ? `${queue.length} steps behind` : "";
  $("edge").disabled = queue.length < 2;
}
function step() {
  timer = 0;
  if (paused || !queue.length) { finish(); return; }
  show(queue.shift());
  counted();
  plan();
}
function plan() {
  if (timer || paused) return;
  const pace = +$("speed").value;
  if (pace === 0 || queue.length > FAR) while (queue.length > 1) show(queue.shift());
  timer = setTimeout(step, shown === null ? 0 : pace);
}
function finish() {
  counted();
  if (!over || queue.length || paused) return;
  $("over").hidden = false;
  $("how").textContent = over;
  $("moving").className = "";
  $("moving").textContent = "ended";
}
$("pause").onclick = () => {
  paused = !paused;
  $("pause").setAttribute("aria-pressed", paused);
  $("pause").textContent = paused ? "Go on" : "Pause";
  plan();
};
$("edge").onclick = () => { while (queue.length) show(queue.shift()); counted(); };
$("speed").onchange = () => { clearTimeout(timer); timer = 0; plan(); };
document.addEventListener("keydown", event => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches("select,button,a")) return;
  if (event.key === " ") { event.preventDefault(); $("pause").click(); }
  if (event.key === "End") { event.preventDefault(); $("edge").click(); }
});
addEventListener("resize", () => { if (shown) { table.fit(rows, null); table.draw(shown, null, gone); } });
themeSwitch();
counted();
if (!D.shown) { $("pace").hidden = true; return; }

let newest = [-1, -1], named = [];
const stream = new EventSource(D.events);
const value = event => JSON.parse(event.data);
function end(text) { over = text; stream.close(); plan(); if (!timer) finish(); }
stream.onopen = () => { $("moving").className = "on"; $("moving").textContent = "live"; };
stream.onerror = () => { if (!over) { $("moving").className = ""; $("moving").textContent = "not connected"; } };
stream.addEventListener("frame", event => {
  const f = value(event);
  /* After a reconnection the hand is sent again from its beginning. */
  if (f.h < newest[0] || (f.h === newest[0] && f.s <= newest[1])) return;
  newest = [f.h, f.s];
  queue.push(f);
  counted();
  plan();
});
stream.addEventListener("lost", event => { $("behind").textContent = `${value(event).updates} steps were lost`; });
stream.addEventListener("ended", event => {
  const {ended, winners} = value(event);
  named = winners.map(seat => `seat ${seat} (${D.seats[seat].bot})`);
  end(ended === "gone" ? "The table was lost; its game is played again." : `It ended (${ended}): ${named.length ? named.join(" and ") + " won" : "nobody won"}.`);
});
stream.addEventListener("gone", event => end(value(event).why));
})();
