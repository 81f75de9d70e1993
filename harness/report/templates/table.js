"use strict";
/* Draws a card table from above, one frame at a time. The replay, a live table and the page of a player share it.

   tableDrawing(box, setup) returns {fit, draw}.
   box: the element of the table. setup: {seats: [{bot}], teams, marks, strip}: `marks` has the mark of each trump by card,
   by trump; `strip` is an element that shows one hand large where the cards on the table are too small to read, or null;
   `hands` below 1 draws hands smaller than the cards of the trick.
   fit(rows, eyes): lays the table out; `rows` as `rowsOf` returns them. Call it again when the window changes its size.
   draw(frame, eyes, gone): `eyes` is the seat of the reader, which is at the bottom and whose hand alone is open; null
   shows all hands that the frame has. `gone` are the seats for which the referee plays. */
const {tableDrawing, rowsOf} = (() => {
const {SIGN, BACK, esc, red, list, face} = Cards;
/* Narrower cards than this, in pixels, have a strip beside the table that shows one hand large. */
const READABLE = 44;

const backs = number => `<div class="card">${BACK}</div>`.repeat(number);

/* The most cards in a seat's rows in these frames. With two seats there are two rows. */
function rowsOf(frames, count) {
  const most = number => Math.max(0, ...frames.flatMap(f => Array.from({length: count}, (_, seat) => number(f[`p${seat}`], f, seat))));
  const hand = place => list(place[0]).length + place[1], laid = place => list(place[2]).length + place[3];
  const pile = (_, f, seat) => f.o.filter(one => one[3] === seat).reduce((sum, one) => sum + one[2], 0);
  if (count > 2) return [most(place => hand(place) + laid(place))];
  const other = most((place, f, seat) => laid(place) + pile(place, f, seat));
  return other ? [other, most(hand)] : [most(hand)];
}

function tableDrawing(box, {seats, teams, marks, strip, hands = 1}) {
const count = seats.length;
let layout = null, eyes = null;

const cards = (codes, trump) => codes.map(card => `<div class="card">${face(card, (marks[trump] || {})[card])}</div>`).join("");
const seesAll = () => eyes === null || eyes === undefined;

function fit(rows, reader = eyes) {
  eyes = reader;
  const tall = box.clientHeight > box.clientWidth;
  box.classList.toggle("tall", tall);
  const table = {width: box.clientWidth, height: box.clientHeight, count, rows, beside: !tall, tall, hands};
  layout = tableLayout(table);
  if (strip) {
    strip.hidden = layout.card >= READABLE;
    if (!strip.hidden) layout = tableLayout({...table, height: box.clientHeight, hands: .6});
  }
  const across = one => `${(100 * one / box.clientWidth).toFixed(2)}cqw`;
  for (const [name, value] of [["--cw", layout.card], ["--pw", layout.played], ["--sw", layout.box[0]], ["--sh", layout.box[1]]]) box.style.setProperty(name, across(value));
  box.style.setProperty("--step", layout.step);
  box.style.borderRadius = `${layout.radius + 12}px`;
}
function placed(spot) {
  return `left:${(100 * spot[0] / box.clientWidth).toFixed(2)}%;top:${(100 * spot[1] / box.clientHeight).toFixed(2)}%`;
}
/* The place of a seat on the table: the reader's own is at the bottom. */
const spot = (places, seat) => placed(places[(seat - (eyes ?? 0) + count) % count]);
const tag = (text, kind = "", title = "") => `<span class="tag ${kind}"${title ? ` title="${title}"` : ""}>${text}</span>`;
function tagsHtml(f, seat, gone) {
  const [, , , , , tricks, score, , , side] = f[`p${seat}`];
  const partner = !teams && f.m !== null && f.m !== seat && f[`p${f.m}`][9] === side;
  return [
    tag(score, "points", "score"),
    tricks ? `<span class="pips" role="img" title="${tricks} tricks" aria-label="${tricks} tricks">${tricks > 5 ? tricks + "▮" : "▮".repeat(tricks)}</span>` : "",
    f.d === seat ? tag("D", "", "dealer") : "",
    f.m === seat ? tag(`maker${f.T ? " " + SIGN[f.T] : ""}`, "maker") + (f.w ? tag(esc(f.w), "maker") : "") : partner ? tag("partner", "maker") : "",
    f.l === seat ? tag("defends alone", "maker") : "",
    gone.has(seat) ? tag("referee", "ref", "played by the referee after a fault") : ""
  ].join("");
}
/* The cards of a seat's hand that the reader sees, and the number of the other cards. */
function handOf(f, seat) {
  const [hand, hidden] = f[`p${seat}`];
  const known = seesAll() || eyes === seat ? list(hand) : [];
  return [known, hidden + list(hand).length - known.length];
}
function seatHtml(f, seat, gone) {
  const [, , laid, covered, , , , , active] = f[`p${seat}`];
  const [known, down] = handOf(f, seat);
  const fan = (inside, what) => inside ? `<div class="fan"${what ? ` title="${what}"` : ""}>${inside}</div>` : "";
  const piles = f.o.filter(one => one[3] === seat).map(one => fan(pileCards(one, f), esc(one[0])));
  const rows = [fan(cards(list(laid), f.T) + backs(covered), "on the table"), ...piles, fan(cards(known, f.T) + backs(down))].join("");
  return `<div class="seat${active ? "" : " out"}" data-seat="${seat}" data-css="${spot(layout.seats, seat)}"><div class="rows">${rows}</div>
<div class="plate${f.n === seat ? " turn" : ""}${f.a === seat ? " acted" : ""}"><span>${seat}</span><b title="${esc(seats[seat].bot)}">${esc(seats[seat].bot)}</b></div><div class="tags">${tagsHtml(f, seat, gone)}</div></div>`;
}
const pileCards = ([, codes, number], f) => seesAll() && codes ? cards(list(codes), f.T) : backs(number);
function middle(f) {
  if (f.r.length) return "";
  const pile = (inside, name, more = "") => `<div class="pile${more}"><div class="fan">${inside}</div><span>${esc(name)}</span></div>`;
  const parts = f.o.filter(one => one[3] === null).map(one => pile(pileCards(one, f), one[0]));
  if (f.u && f.u[1] === "up") parts.unshift(pile(cards([f.u[0]], f.T), "turned up"));
  else if (f.u && f.u[1] === "down") parts.unshift(pile(cards([f.u[0]], f.T), "turned down", " down"));
  const fans = [...(f.u && ["up", "down"].includes(f.u[1]) ? [1] : []), ...f.o.filter(one => one[3] === null).map(one => one[2])];
  const across = fans.reduce((sum, number) => sum + 1 + (number - 1) * layout.step, 0);
  const card = Math.min(layout.played / 1.1, (layout.inner[0] - 10 * (fans.length - 1)) / Math.max(1, across), (layout.inner[1] - 22) * 64 / 90);
  return `<div id="middle" data-css="--cw:${(100 * card / box.clientWidth).toFixed(2)}cqw">${parts.join("")}</div>`;
}
function trickHtml(f) {
  return f.r.map(([seat, card, chosen], place) =>
    `<div class="played${f.v === seat ? " won" : ""}${chosen ? " sub" : ""}" title="seat ${seat}${f.v === seat ? " takes it" : ""}${chosen ? ", chosen by the referee" : ""}" data-seat="${seat}" data-css="${spot(layout.tricks, seat)};z-index:${place + 2}">${cards([card], f.T)}</div>`).join("");
}
/* One hand, large: the reader's own; else that of the seat that decides, or else of the seat that acted. */
function drawStrip(f) {
  const seat = seesAll() ? f.n ?? f.a : eyes;
  const [known] = seat === null ? [[]] : handOf(f, seat);
  const doing = seat === f.n ? "to decide" : seat === f.a ? "has acted" : "";
  fill(strip, seat === null ? "" : `<span class="soft">seat ${seat} ${red(seats[seat].bot)}${doing ? `, ${doing}` : ""}</span><div class="fan">${cards(known, f.T)}</div>`);
}
function draw(f, reader, gone = new Set()) {
  eyes = reader;
  const sign = f.T ? `<div id="suit" class="${f.T}" aria-hidden="true">${SIGN[f.T]}</div>` : "";
  fill(box, sign + seats.map((_, seat) => seatHtml(f, seat, gone)).join("") + middle(f) + trickHtml(f));
  if (strip && !strip.hidden) drawStrip(f);
}
return {fit, draw};
}
return {tableDrawing, rowsOf};
})();
