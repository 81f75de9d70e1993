"use strict";
/* The page on which a table is set: a game, who sits where, and options that are not the usual ones. */
(() => {
const D = JSON.parse(document.getElementById("data").textContent);
const $ = id => document.getElementById(id);
const YOU = "human";
const game = () => D.variants.find(one => one.name === $("variant").value);
let taken = [YOU];

const chosen = () => [...$("options").querySelectorAll("[data-name]")].filter(one => one.value !== one.dataset.usual);
/* How many seats the table has with the options as they are. */
function places() {
  for (const one of chosen()) {
    const choice = game().options.find(option => option.name === one.dataset.name).choices.find(([text]) => text === one.value);
    if (choice && choice[1] !== game().seats) return choice[1];
  }
  return game().seats;
}
function role(seat) {
  const side = game().sides.find(one => one.includes(seat)), own = taken.indexOf(YOU);
  return side && seat !== own && side.includes(own) ? ", your partner" : "";
}
function drawSeats() {
  const bots = game().bots, usual = bots.includes("greedy") ? "greedy" : bots[0];
  const number = places();
  taken = Array.from({length: number}, (_, seat) => taken[seat] === YOU || bots.includes(taken[seat]) ? taken[seat] : usual);
  if (!taken.includes(YOU)) taken[0] = YOU;
  $("seats").replaceChildren(...taken.map((bot, seat) => {
    const label = document.createElement("label"), name = document.createElement("span"), select = document.createElement("select");
    name.textContent = `Seat ${seat}${role(seat)}`;
    for (const one of [YOU, ...bots]) select.add(new Option(one === YOU ? "You" : one, one, false, one === bot));
    if (bot === YOU) label.className = "mine";
    select.onchange = () => sit(seat, select.value, usual);
    label.append(name, select);
    return label;
  }));
}
/* You have one seat: who takes yours changes places with you. */
function sit(seat, bot, usual) {
  const own = taken.indexOf(YOU), before = taken[seat];
  taken[seat] = bot;
  if (bot === YOU) taken[own] = before;
  else if (seat === own) taken[(seat + 1) % taken.length] = YOU;
  drawSeats();
  $("seats").querySelectorAll("select")[seat].focus();
}
function drawOptions() {
  $("options").replaceChildren(...game().options.map(option => {
    const label = document.createElement("label"), name = document.createElement("span"), help = document.createElement("span");
    const field = document.createElement(option.choices.length ? "select" : "input");
    for (const [text] of option.choices) field.add(new Option(text, text));
    if (option.low !== null) { field.type = "number"; field.min = option.low; }
    field.value = option.default;
    field.dataset.name = option.name;
    field.dataset.usual = option.default;
    field.onchange = drawSeats;
    name.textContent = option.name;
    help.className = "soft";
    help.textContent = option.help;
    label.append(name, field, help);
    return label;
  }));
}
function draw() {
  const one = game();
  const sides = one.sides.length ? `, in ${one.sides.length} fixed sides` : "";
  $("about").textContent = `${one.seats} seats${sides}. On the command line: bowerbird play ${one.name}`;
  drawOptions();
  drawSeats();
}
$("variant").onchange = () => { taken = [YOU]; $("refused").textContent = ""; draw(); };
$("form").onsubmit = async event => {
  event.preventDefault();
  $("begin").disabled = true;
  const options = Object.fromEntries(chosen().map(one => [one.dataset.name, one.value]));
  const wish = {variant: game().name, bots: taken, options};
  const answer = await fetch("begin", {method: "POST", headers: {"content-type": "application/json"}, body: JSON.stringify(wish)});
  if (answer.ok) { location.href = "./"; return; }
  $("begin").disabled = false;
  $("refused").textContent = (await answer.text()).trim();
};
themeSwitch();
draw();
})();
