"use strict";
/* Where the seats and the cards of a trick lie on a table of this size, with cards as large as they can be without
   lying on each other. Lengths are in pixels; the answer is {card, played, step, radius, box, seats, tricks, inner}.
   `card` is the width of the cards in a hand, `played` that of the cards of the trick. With `hands` below 1 hands are
   drawn that much smaller than their cards could be, and the trick larger. */
const tableLayout = (() => {
const RATIO = 90 / 64, GAP = 5, LARGEST = 100, SMALLEST = 20, STEPS = [.6, .5, .42, .36, .3];
/* How many seats are at the bottom (the first one in its middle), left, top and right. */
const WIDE = {2: [1, 0, 1, 0], 3: [1, 1, 0, 1], 4: [1, 1, 1, 1], 5: [1, 1, 2, 1], 6: [1, 2, 1, 2], 7: [1, 2, 2, 2], 8: [1, 2, 3, 2], 9: [3, 2, 2, 2], 10: [3, 2, 3, 2]};
const TALL = {...WIDE, 5: [1, 2, 0, 2], 7: [1, 3, 0, 3], 8: [1, 3, 1, 3], 9: [1, 4, 0, 4], 10: [1, 4, 1, 4]};
const LABEL = {wide: [150, 50], tall: [112, 58]};

function part(index, number) {
  const free = {2: .6, 3: .75}[number] ?? 0;
  return number === 1 ? .5 : (index + free) / (number - 1 + 2 * free);
}
/* Each seat's place as shares of the way from one edge to the other, clockwise. */
function spots(count, tall) {
  const [bottom, left, top] = (tall ? TALL : WIDE)[count];
  const along = (number, place) => Array.from({length: number}, (_, index) => place(part(index, number)));
  const low = along(bottom, at => [1 - at, 1]), middle = bottom >> 1;
  const side = top ? along(left, at => at) : [[.3], [.08, .6], [0, .42, .84], [0, 1 / 3, 2 / 3, 1]][left - 1];
  const up = [...side].reverse().map(y => [0, y]), down = side.map(y => [1, y]);
  return [...low.slice(middle), ...up, ...along(top, at => [at, 0]), ...down, ...low.slice(0, middle)];
}
const box = (x, y, width, height) => [x - width / 2, y - height / 2, x + width / 2, y + height / 2];
const apart = (a, b, gap) => a[2] + gap <= b[0] || b[2] + gap <= a[0] || a[3] + gap <= b[1] || b[3] + gap <= a[1];
const allApart = (boxes, gap) => boxes.every((one, index) => boxes.slice(0, index).every(other => apart(one, other, gap)));
/* Whether a box is inside the table, whose corners are rounded. */
function inside(one, width, height, radius) {
  return [[one[0], one[1]], [one[2], one[1]], [one[0], one[3]], [one[2], one[3]]].every(([x, y]) => {
    const over = [Math.max(0, radius - Math.min(x, width - x)), Math.max(0, radius - Math.min(y, height - y))];
    return Math.hypot(...over) <= radius;
  });
}
/* Three ways for the cards of a trick: each before its seat, evenly round the middle, or in columns between the seats of
   the left and of the right. Each returns the place of a card from the middle; `free` is the room between the seats. */
const before = ([x, y], reach) => [x * reach, y * reach];
const round = (_, reach, seat, count, free) => {
  const turn = Math.PI * (.5 + 2 * seat / count);
  return [Math.max(60, free[0]) * Math.cos(turn) * reach, Math.max(60, free[1]) * Math.sin(turn) * reach];
};
const columns = ([x, y], reach, seat, count, free, card) => {
  const most = Math.max(0, (free[0] - card) / 2 - 3);
  return [Math.max(-most, Math.min(most, x * reach)), y * reach];
};
/* Seats along the edges; the cards of a trick between them and the middle, as near to it as they can be. */
function arranged({width, height, count, rows, beside, tall, hands = 1}, large, step, way) {
  const card = large * hands;
  const margin = tall ? 7 : 14, label = LABEL[tall ? "tall" : "wide"];
  const fans = rows.map(number => card * (1 + Math.max(0, number - 1) * step));
  const across = beside ? fans.reduce((sum, one) => sum + one + 18, -18) : Math.max(...fans);
  const size = [Math.max(label[0], across), label[1] + (beside ? 1 : rows.length) * (card * RATIO + 4)];
  const room = [width - 2 * margin - size[0], height - 2 * margin - size[1]];
  const seats = spots(count, tall).map(([x, y]) => [margin + size[0] / 2 + x * room[0], margin + size[1] / 2 + y * room[1]]);
  const boxes = seats.map(([x, y]) => box(x, y, ...size));
  const played = [large * 1.1, large * 1.1 * RATIO];
  const [x0, y0] = [width / 2, height * (count === 3 ? .4 : .5)];
  const towards = reach => seats.map(([x, y], seat) => {
    const [across, down] = way([x - x0, y - y0], reach, seat, count, [width - 2 * (margin + size[0]), height - 2 * (margin + size[1])], played[0]);
    return [x0 + across, y0 + down];
  });
  const lying = tricks => tricks.map(([x, y]) => box(x, y, ...played));
  let reach = .1;
  while (reach < .9 && !allApart(lying(towards(reach)), GAP)) reach += .03;
  const tricks = towards(reach);
  const fits = Math.min(...room) >= 0 && reach < .9 && allApart(boxes, GAP) && lying(tricks).every(one => boxes.every(other => apart(one, other, 2)));
  return {card, played: played[0], step, way, box: size, boxes, seats, tricks, fits};
}
/* The room in the middle that no seat takes. */
function inner(boxes, width, height) {
  const free = [width, height];
  for (const [left, top, right, bottom] of boxes) {
    if (top < height / 2 && bottom > height / 2) free[0] = Math.min(free[0], 2 * (right < width / 2 ? width / 2 - right : left - width / 2));
    else free[1] = Math.min(free[1], 2 * (bottom < height / 2 ? height / 2 - bottom : top - height / 2));
  }
  return free.map(one => Math.max(60, one - 2 * GAP));
}
function finished(found, {width, height}) {
  const radii = [.5, .42, .34, .26, .2, .14, .1, .06].map(share => share * Math.min(width, height));
  const radius = radii.find(one => found.boxes.every(each => inside(each, width, height, one))) ?? 0;
  return {...found, radius, inner: inner(found.boxes, width, height)};
}
/* Large cards, much of each to be seen, and before their seats rather than round the middle. Of hands that are drawn
   small nothing need be seen. */
const merit = ({card, played, step, way}) => played * (card * 1.1 < played - 1 ? 1 : Math.sqrt(step)) * (way === before ? 1.15 : 1);
function largest(table, step, way) {
  for (let card = LARGEST; card >= SMALLEST; card--) {
    const found = arranged(table, card, step, way);
    if (found.fits) return found;
  }
  return null;
}
return table => {
  const found = [before, round, columns].flatMap(way => STEPS.map(step => largest(table, step, way))).filter(Boolean);
  const best = found.sort((one, other) => merit(other) - merit(one))[0];
  return finished(best ?? arranged(table, SMALLEST, STEPS[STEPS.length - 1], round), table);
};
})();
