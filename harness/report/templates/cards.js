"use strict";
/* How cards are drawn and named: faces as SVG, names to be read out, short names for texts. */
const Cards = (() => {
const SIGN = {s: "♠", h: "♥", d: "♦", c: "♣", nt: "NT", low: "LOW"};
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
/* The face of a card; `mark` is its mark as a trump: "right", "left", "joker", "trump", or nothing. */
function face(card, mark) {
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
/* An action in short: "play Th" is "play 10♥". */
const pretty = text => text.split(" ").map(word => /^([AKQJT2-9][shdc]|X[123rb])$/.test(word) ? short(word) : SIGN[word] || word).join(" ");
return {SIGN, SUIT, BACK, esc, red, list, short, spoken, face, pretty};
})();
