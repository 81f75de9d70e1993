"use strict";
/* Draws what stands beside a table: the step in words, its clock, the contract and the scores.

   setup: {seats: [{bot, clock}], teams, clock: {decision, bank}}; a seat has a clock if it is not that of the table. A reader with a seat (`eyes`) sees its own times and cards only. */
const besideTable = ({seats, teams, clock}) => {
const {SIGN, SUIT, esc, red, list, short} = Cards;
const seesAll = eyes => eyes === null || eyes === undefined;

/* The step in words, as the reader may know it. */
const said = (f, eyes) => (!seesAll(eyes) && f.q && f.a !== eyes ? f.q : f.t).replace(/\bT(?=[♠♥♦♣])/g, "10");
function saidHtml(f, eyes) {
  const chosen = f.b & 2 ? ' <span class="tag ref">chosen by the referee</span>' : f.b & 1 ? ' <span class="soft">(no choice)</span>' : "";
  return `<span>${f.k === "fault" ? "⚠ " : ""}${red(said(f, eyes))}${chosen}</span>`;
}
function bar(ms, limit, what) {
  const share = limit ? Math.min(1, ms / limit) : 0;
  return `<span class="soft">${ms} ms of ${limit} ms ${what}</span><div class="clock" role="img" aria-label="${ms} of ${limit} milliseconds"><i class="${ms > limit ? "over" : ""}" data-css="width:${(100 * share).toFixed(1)}%"></i></div>`;
}
function timingHtml(f, eyes) {
  const own = seesAll(eyes) || f.a === eyes;
  if (f.k === "fault" && f.y[2]) return bar(f.y[3], f.y[2], "when it failed");
  const none = f.z === null || f.z === undefined || f.k !== "action" || !own;
  return none ? `<span class="soft">&nbsp;</span>` : bar(f.z, (seats[f.a].clock || clock).decision, "a decision");
}
function contractHtml(f, eyes) {
  const away = seats.map((_, seat) => [seat, list(f[`p${seat}`][4])]).filter(([seat, codes]) => codes.length && (seesAll(eyes) || seat === eyes));
  const put = away.length ? `<br><span class="soft">put away: ${away.map(([seat, codes]) => `seat ${seat} ${red(codes.map(short).join(" "))}`).join(", ")}</span>` : "";
  const sign = f.T ? `<span class="trump${f.T === "nt" || f.T === "low" ? " none" : f.T === "h" || f.T === "d" ? " redsuit" : ""}" aria-hidden="true">${SIGN[f.T]}</span>` : `<span class="trump soft" aria-hidden="true">·</span>`;
  const maker = f.m === null ? (f.T ? "no maker" : f.g || "") : `maker: seat ${f.m} (${seats[f.m].bot})`;
  const bits = [f.c ? `contract ${f.c}` : "", f.w, f.l !== null ? `seat ${f.l} defends alone` : "", ...f.f.map(([name, value]) => `${name}: ${value}`)].filter(Boolean);
  return `${sign}<div><b>${f.T ? (f.T === "nt" ? "No trump" : f.T === "low" ? "No trump, low" : "Trump " + SUIT[f.T]) : "No trump named yet"}</b><br><span class="soft">${esc(maker)}${bits.length ? " · " + esc(bits.join(" · ")) : ""}</span>${put}</div>`;
}
function scoreHtml(f) {
  const games = f.p0[7] !== null;
  const banks = seats.some(one => (one.clock || clock).bank > 0) && seats.some((_, seat) => f[`p${seat}`][10] !== null);
  const head = `<tr><th scope="col">seat</th><th scope="col">score</th>${games ? '<th scope="col">games</th>' : ""}<th scope="col">tricks</th>${banks ? '<th scope="col">bank</th>' : ""}</tr>`;
  const body = seats.map((one, seat) => {
    const place = f[`p${seat}`];
    return `<tr class="${f.n === seat ? "turn" : ""}"><td>${seat} · ${esc(one.bot)}${teams ? ` <span class="soft">${"AB"[place[9]] || ""}</span>` : ""}</td><td>${place[6]}</td>${games ? `<td>${place[7]}</td>` : ""}<td>${place[5]}</td>${banks ? `<td>${place[10] === null ? "" : (place[10] / 1000).toFixed(1) + " s"}</td>` : ""}</tr>`;
  }).join("");
  return `<thead>${head}</thead><tbody>${body}</tbody>`;
}
/* Fills the elements #said, #timing, #contract and .score of the page. */
function draw(f, eyes) {
  const part = id => document.getElementById(id);
  part("said").className = f.k === "fault" ? "fault" : "";
  part("said").innerHTML = saidHtml(f, eyes);
  fill(part("timing"), timingHtml(f, eyes));
  part("contract").innerHTML = contractHtml(f, eyes);
  document.querySelector(".score").innerHTML = scoreHtml(f);
}
return {draw, said};
};
