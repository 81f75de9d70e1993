"use strict";
(() => {
const D = JSON.parse(document.getElementById("data").textContent);
const COLOURS = ["#1b9e77", "#d95550", "#4f83e0", "#c9962b", "#a06fdc", "#e07b39", "#2fa3a3", "#cf5b96", "#86962a", "#858c99"];
const colour = bot => COLOURS[bot % COLOURS.length];
const esc = text => String(text ?? "").replace(/[&<>"]/g, sign => `&#${sign.charCodeAt(0)};`);
const root = document.getElementById("report");
const none = '<span class="soft">-</span>';
const percent = share => `${(100 * share).toFixed(1)}%`;
const name = bot => `<span class="dot" data-css="background:${colour(bot)}"></span><span class="name" title="${esc(D.bots[bot].name)}">${esc(D.bots[bot].name)}</span>`;
const column = bot => `<th scope="col" title="${esc(D.bots[bot].name)}">${esc(D.bots[bot].name)}</th>`;
const brief = text => text.length > 16 ? text.slice(0, 15) + "…" : text;
const pairs = new Map(D.pairs.flatMap(([one, other, file]) => [[`${one} ${other}`, file], [`${other} ${one}`, file]]));

const meaning = title => D.words[title] ? ` title="${esc(D.words[title])}"` : "";
/* The value by which a cell is sorted: its first number; beyond all others for an infinite rating, none for "-". */
function key(text, span) {
  if (span) return span[0] ?? (span[1] !== null ? 1e6 + span[1] : span[2] !== null ? span[2] - 1e6 : "");
  const number = parseFloat(text.replace(/^[<>+]/, ""));
  return isNaN(number) ? "" : number;
}
function range([value, low, high], bot, from, to) {
  if (low === null && high === null) return "";
  const at = one => Math.max(0, Math.min(100, 100 * (one - from) / Math.max(1, to - from)));
  const left = at(low ?? from), right = at(high ?? to);
  return `<span class="range" role="img" aria-label="95% interval ${low ?? "open"} to ${high ?? "open"}"><i class="${low === null ? "less" : high === null ? "more" : ""}" data-css="left:${left}%;width:${right - left}%"></i>${value === null ? "" : `<b data-css="left:${at(value)}%;background:${colour(bot)}"></b>`}</span>`;
}
/* A table sorted by its heads. Each row is {bot, cells, spans, range}: `range` is drawn after column `drawn`. */
function sortable(titles, rows, drawn) {
  const words = title => title === "bot" || title === "faults" || title === "remark";
  const head = titles.map((title, place) => `<th scope="col"${words(title) ? ' class="l"' : ""}${title === "#" ? ' aria-sort="ascending"' : ""}${meaning(title)}><button type="button" data-sort>${esc(title)}</button></th>${place === drawn ? '<th class="drawn"></th>' : ""}`).join("");
  const body = rows.map(row => "<tr>" + row.cells.map((text, place) => {
    const title = titles[place], inside = title === "bot" ? name(row.bot) : text === "-" ? none : title === "Elo" || title === "mean" ? `<b>${esc(text)}</b>` : esc(text);
    const by = title === "bot" ? text : title === "faults" ? (text.match(/\d+/g) || [0]).reduce((sum, one) => sum + +one, 0) : key(text, row.spans?.[place]);
    return `<td${words(title) ? ' class="l"' : ""} data-v="${esc(by)}">${inside}</td>${place === drawn ? `<td class="drawn">${row.range}</td>` : ""}`;
  }).join("") + "</tr>").join("");
  return `<div class="scroll"><table class="sortable"><thead><tr>${head}</tr></thead><tbody>${body}</tbody></table></div>`;
}
function bounds(spans) {
  const values = spans.filter(Boolean).flat().filter(one => one !== null);
  return [Math.min(...values), Math.max(...values)];
}
function standings(scope) {
  if (!scope.rows.length) return `<p class="soft">No deal set is complete yet.</p>`;
  const [from, to] = bounds(scope.rows.map(row => row.span));
  const rated = scope.rows.map(row => ({bot: row.bot, cells: row.rating, spans: {2: row.span}, range: row.span ? range(row.span, row.bot, from, to) : ""}));
  const played = scope.rows.map(row => ({bot: row.bot, cells: row.playing}));
  const notes = scope.notes.map(note => `<p class="soft">${esc(note)}</p>`).join("");
  return `${sortable(scope.titles, rated, 3)}<p class="soft"${meaning("anchor")}>${esc(scope.sentence)}</p>${notes}${sortable(D.titles.playing, played)}`;
}
function pooled() {
  if (!D.pooled || !D.pooled.rows.length) return "";
  const [from, to] = bounds(D.pooled.rows.map(row => row.spans[0]));
  const rows = D.pooled.rows.map(row => ({bot: row.bot, cells: row.figures, spans: {1: row.spans[0], ...(row.spans[1] ? {3: row.spans[1]} : {})}, range: range(row.spans[0], row.bot, from, to)}));
  return section("pooled", "Over the variants", `<p class="soft">${esc(D.pooled.title)}</p>${sortable(D.titles.pooled, rows, 2)}<p class="soft">${esc(D.pooled.note)}</p>`);
}
function outcome() {
  if (!D.outcome) return "";
  const {titles, places, ties, rounds} = D.outcome;
  const side = (bot, games, winner) => `<span class="side${bot === winner ? " won" : ""}"><span>${bot === null ? '<span class="soft">bye</span>' : name(bot)}</span><span class="games">${bot === null || games === null ? "" : esc(games)}</span></span>`;
  const box = ([bot, other, won, lost, winner, how]) => {
    const file = other === null ? "" : pairs.get(`${bot} ${other}`), inside = side(bot, other === null ? null : won, winner) + side(other, lost, winner) + (how && other !== null ? `<small>${esc(how)}</small>` : "");
    return file ? `<a class="match" href="${esc(D.folder)}/${file}">${inside}</a>` : `<span class="match">${inside}</span>`;
  };
  const bracket = rounds.length ? `<h3>Matches</h3><p class="soft">Games won by each bot; the winner is bold. A match opens its games.</p><div class="scroll"><div class="bracket">${rounds.map(round => `<div class="round"><h4>${esc(round.title)}</h4><div class="boxes">${round.matches.map(box).join("")}</div></div>`).join("")}</div></div>` : "";
  return section("outcome", "Places", sortable(titles, places.map(place => ({bot: place.bot, cells: place.cells}))) + `<p class="soft">${esc(ties)}</p>` + bracket);
}
function heat(share) {
  const strong = Math.round(Math.abs(share - .5) * 2 * 46);
  return `background:color-mix(in srgb,${share >= .5 ? "#1f9d6b" : "#d0453a"} ${strong}%,transparent)`;
}
function crosstable(scope) {
  if (!scope.cross.length) return "";
  const order = scope.rows.map(row => row.bot);
  const cells = new Map(scope.cross.map(([one, other, ...wdl]) => [`${one} ${other}`, wdl]));
  const body = order.map(one => `<tr><td class="l">${name(one)}</td>` + order.map(other => {
    const wdl = cells.get(`${one} ${other}`);
    if (!wdl) return `<td class="soft">${one === other ? "·" : ""}</td>`;
    const all = wdl[0] + wdl[1] + wdl[2], share = (wdl[0] + wdl[1] / 2) / all;
    const inside = `${percent(share)}<small>${wdl.join("-")}</small>`;
    const file = pairs.get(`${one} ${other}`);
    return `<td class="c" data-css="${heat(share)}">${file ? `<a href="${esc(D.folder)}/${file}#${scope.variant ? esc(scope.variant) : "head-to-head"}" aria-label="${esc(D.bots[one].name)} against ${esc(D.bots[other].name)}: ${percent(share)}, games">${inside}</a>` : `<span>${inside}</span>`}</td>`;
  }).join("") + "</tr>").join("");
  return `<h3>Against each other</h3><p class="soft">Score of the row's bot, with won-drawn-lost below. A cell opens the comparison of the two and their games.</p><div class="scroll"><table class="heat"><thead><tr><th class="l" scope="col">row against</th>${order.map(column).join("")}</tr></thead><tbody>${body}</tbody></table></div>`;
}
function curves() {
  const {sets} = D.curves, played = new Set(D.scopes[0].rows.map(row => row.bot));
  const curve = D.curves.lines.map((line, bot) => ({line, bot})).filter(one => played.has(one.bot));
  if (sets.length < 2) return "";
  const W = 1000, H = 340, L = 46, R = 170, T = 14, B = 30;
  const all = curve.flatMap(one => one.line), low = Math.floor((Math.min(...all) - 10) / 50) * 50, high = Math.ceil((Math.max(...all) + 10) / 50) * 50;
  const x = one => L + (W - L - R) * one / sets[sets.length - 1], y = one => T + (H - T - B) * (high - one) / (high - low);
  const step = Math.max(50, Math.ceil((high - low) / 300) * 50);
  let grid = "";
  for (let one = Math.ceil(low / step) * step; one <= high; one += step) grid += `<line class="grid" x1="${L}" x2="${W - R}" y1="${y(one)}" y2="${y(one)}"/><text x="${L - 8}" y="${y(one) + 4}" text-anchor="end">${one}</text>`;
  const ends = curve.map(({line, bot}) => ({bot, at: y(line[line.length - 1]), end: line[line.length - 1]})).sort((a, b) => a.at - b.at);
  ends.forEach((one, place) => { one.at = place ? Math.max(one.at, ends[place - 1].at + 15) : one.at; });
  const paths = curve.map(({line, bot}) => `<polyline fill="none" stroke="${colour(bot)}" stroke-width="2.2" stroke-linejoin="round" points="${line.map((one, place) => `${x(sets[place]).toFixed(1)},${y(one).toFixed(1)}`).join(" ")}"/>`).join("");
  const labels = ends.map(one => `<text x="${W - R + 10}" y="${one.at + 4}" data-css="fill:${colour(one.bot)};font-weight:600">${esc(brief(D.bots[one.bot].name))} ${one.end}</text>`).join("");
  return section("curves", "Rating curves", `<p class="soft">Incremental Elo over all variants, in the order of the schedule.</p><div class="scroll"><svg class="curve" data-css="min-width:560px" viewBox="0 0 ${W} ${Math.max(H, ends[ends.length - 1].at + 20)}" role="img" aria-label="Elo of each bot by deal sets played">${grid}${paths}${labels}<text x="${(L + W - R) / 2}" y="${H - 6}" text-anchor="middle">deal sets</text></svg></div>`);
}
function matrix() {
  const scopes = D.scopes.filter(scope => scope.variant && !scope.apart);
  if (scopes.length < 2) return "";
  const body = scopes.map(scope => `<tr><td class="l"><a href="#v-${esc(scope.id)}">${esc(scope.title)}</a></td>` + D.bots.map((_, bot) => {
    const row = scope.rows.find(one => one.bot === bot);
    if (!row || row.score === null) return `<td>${none}</td>`;
    return `<td class="c" data-css="${heat(row.score)}"><a href="${esc(D.folder)}/${D.games[bot]}#${esc(scope.variant)}" aria-label="${esc(D.bots[bot].name)} in ${esc(scope.title)}: ${row.playing[1]}, games">${row.playing[1]}<small>${esc(row.rating[2])}</small></a></td>`;
  }).join("") + "</tr>").join("");
  return section("variants", "Each variant", `<p class="soft">Score, with Elo below. A cell opens the games.</p><div class="scroll"><table class="heat"><thead><tr><th class="l" scope="col">variant</th>${D.bots.map((_, bot) => column(bot)).join("")}</tr></thead><tbody>${body}</tbody></table></div>`);
}
function times() {
  const rows = D.scopes[0].rows.filter(row => row.p50 !== null);
  if (!rows.length) return "";
  const most = Math.log1p(Math.max(...rows.map(row => row.p99)));
  const width = ms => (Math.log1p(ms) / Math.max(most, .1) * 100).toFixed(1);
  return section("times", "Decision times", `<div class="scroll"><table class="sortable"><thead><tr><th class="l" scope="col"><button type="button" data-sort>bot</button></th><th scope="col"><button type="button" data-sort>median</button></th><th scope="col"><button type="button" data-sort>99th percentile</button></th><th class="l" scope="col" data-css="width:45%"></th><th scope="col"><button type="button" data-sort>decisions</button></th></tr></thead><tbody>${rows.map(row =>
    `<tr><td class="l" data-v="${esc(D.bots[row.bot].name)}">${name(row.bot)}</td><td data-v="${row.p50}">${row.p50} ms</td><td data-v="${row.p99}">${row.p99} ms</td><td class="l"><span class="bar" data-css="width:${width(row.p50)}%"></span><br><span class="bar late" data-css="width:${width(row.p99)}%"></span></td><td data-v="${row.playing[3]}">${row.playing[3]}</td></tr>`).join("")}</tbody></table></div>` + processor());
}
function processor() {
  if (!D.cpu.length) return "";
  const head = ["bot", "processor time", "share", "charged"].map((title, place) => `<th${place ? "" : ' class="l"'} scope="col"><button type="button" data-sort>${title}</button></th>`).join("");
  const seconds = ms => `<td data-v="${ms}">${(ms / 1000).toFixed(1)} s</td>`;
  return `<p class="soft">Processor time of all processes of a bot on this machine, and the wall time that its clock charged.</p><div class="scroll"><table class="sortable"><thead><tr>${head}</tr></thead><tbody>${D.cpu.map(([bot, used, charged, share]) =>
    `<tr><td class="l" data-v="${esc(D.bots[bot].name)}">${name(bot)}</td>${seconds(used)}<td data-v="${share ?? ""}">${share === null ? none : `${(share * 100).toFixed(1)}%`}</td>${seconds(charged)}</tr>`).join("")}</tbody></table></div>`;
}
function corrections() {
  if (!D.corrections.length) return "";
  const told = D.corrections.map(one => `<div class="correction"><b>${one.number}</b> <span class="soft">${esc(one.saved)}, by ${esc(one.by)}:</span> ${esc(one.what)}<p>${esc(one.why)}</p>${one.count ? `<div class="soft">${esc(one.count)}: ${esc(one.sets.join(", "))}${one.more ? ` and ${one.more} more` : ""}</div><dl><dt>commitment</dt><dd>${esc(one.commitment)}</dd><dt>seed</dt><dd>${esc(one.seed ?? "not published yet")}</dd></dl>` : ""}</div>`).join("");
  return section("corrections", "Corrections", `<p class="soft">What the organiser changed after play. Deal sets that are taken out of the results are played again, dealt from a seed to which the correction commits.</p>${told}`);
}
function faults() {
  if (!D.faults.length) return section("faults", "Faults", `<p class="soft">No bot was at fault.</p>`);
  const counts = D.scopes[0].rows.filter(row => Object.keys(row.faults).length);
  const table = `<div class="scroll"><table class="sortable"><thead><tr><th class="l" scope="col"><button type="button" data-sort>bot</button></th>${D.kinds.map((kind, place) => `<th scope="col"><button type="button" data-sort>${esc(kind)}</button></th>`).join("")}</tr></thead><tbody>${counts.map(row => `<tr><td class="l" data-v="${esc(D.bots[row.bot].name)}">${name(row.bot)}</td>${D.kinds.map(kind => `<td data-v="${row.faults[kind] || 0}">${row.faults[kind] || none}</td>`).join("")}</tr>`).join("")}</tbody></table></div>`;
  const told = D.faults.map(fault => {
    const replay = D.replays[fault.game];
    const game = replay ? `<a href="${esc(D.folder)}/${replay}#hand=${fault.hand}">${esc(fault.game)}</a>` : esc(fault.game);
    const lines = [fault.clock[1] ? `${fault.clock[0]} ms of ${fault.clock[1]} ms` : "", fault.ended ? `process: ${fault.ended}` : "", fault.legal.length ? `to decide: ${fault.legal.join(", ")}` : "", fault.log ? `log: ${fault.log}` : ""].filter(Boolean);
    return `<div class="fault"><span class="kind">${esc(fault.kind)}</span> ${name(fault.bot)}${fault.times > 1 ? ` <span class="soft">${fault.times} times; first:</span>` : ""} ${esc(fault.detail)}<div class="soft">${game}, seat ${fault.seat}, hand ${fault.hand}, action ${fault.action}${lines.length ? " · " + esc(lines.join(" · ")) : ""}</div>${fault.words.length ? `<pre>${esc(fault.words.join("\n"))}</pre>` : ""}</div>`;
  }).join("");
  return section("faults", "Faults", table + told);
}
function section(id, title, inside) {
  return `<section class="panel" id="${id}"><h2>${esc(title)}</h2>${inside}</section>`;
}
const [first, ...others] = D.scopes;
fill(root, outcome() + (first ? section("standings", first.variant ? first.title : "Standings", standings(first) + crosstable(first)) : "") + pooled() + curves() + matrix() + corrections() + faults() + times() +
  (others.length ? `<section class="panel" id="details"><h2>Variant by variant</h2>${others.map(scope => `<details id="v-${esc(scope.id)}"><summary>${esc(scope.title)} <span class="soft">${scope.games} games${scope.apart ? ", rated apart" : ""}</span></summary>${standings(scope)}${crosstable(scope)}</details>`).join("")}</section>` : ""));
document.querySelector("nav").innerHTML = [...document.querySelectorAll("section[id]")].map(part => `<a href="#${esc(part.id)}">${esc(part.querySelector("h2").textContent)}</a>`).join("");

document.addEventListener("click", event => {
  const button = event.target.closest("[data-sort]");
  if (!button) return;
  const head = button.closest("th"), table = button.closest("table"), place = head.cellIndex;
  const down = head.getAttribute("aria-sort") !== "descending";
  const value = row => row.cells[place].dataset.v;
  const rows = [...table.tBodies[0].rows].sort((one, other) => {
    const [a, b] = [value(one), value(other)];
    if (a === "" || b === "") return (a === "") - (b === ""); // cells without a number come last
    const order = isNaN(a) || isNaN(b) ? a.localeCompare(b) : a - b;
    return down ? -order : order;
  });
  table.querySelectorAll("[aria-sort]").forEach(one => one.removeAttribute("aria-sort"));
  head.setAttribute("aria-sort", down ? "descending" : "ascending");
  table.tBodies[0].append(...rows);
});
function openWished() {
  const wished = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (wished && wished.matches("details")) { wished.open = true; wished.scrollIntoView(); }
}
addEventListener("hashchange", openWished);
openWished();
let closed = [];
addEventListener("beforeprint", () => { closed = [...document.querySelectorAll("details:not([open])")]; closed.forEach(one => { one.open = true; }); });
addEventListener("afterprint", () => closed.forEach(one => { one.open = false; }));
themeSwitch();
})();
