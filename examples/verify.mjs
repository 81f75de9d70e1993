// Verifies the archive of a tournament without any code from Bowerbird, using only Node's standard library.
//
//     node verify.mjs RUN.tar.gz [GAME.json ...]      as `bowerbird export` writes them, or the archive unpacked
// Everything here follows docs/reference/notation.md; comments cite its sections, and rules in rules.md ("V1.8").
// It prints one line for each kind of check. If anything is wrong, it prints one error and exits with status 1.

import { createHash, createHmac, createPublicKey, verify } from "node:crypto";
import { createReadStream, readdirSync, readFileSync, realpathSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createGunzip } from "node:zlib";

class Wrong extends Error {}

/** Reject the archive: `member` is the file that is wrong. */
function refuse(member, sentence) {
  throw new Wrong(`${member}: ${sentence}`);
}

const sha256 = (...parts) => parts.reduce((hash, part) => hash.update(part), createHash("sha256")).digest();
const hex = (...parts) => sha256(...parts).toString("hex");
const mod = (number, n) => ((number % n) + n) % n;
const same = (one, other) => JSON.stringify(one) === JSON.stringify(other);
const range = (count) => Array.from({ length: count }, (_, number) => number);
const shown = (value) => JSON.stringify(value).slice(0, 200);

// ---------------------------------------------------------------------------------------------------------------------
// "Archive of a run": a gzipped tar of regular files. Memory does not grow with the archive.

/** Yield [name, bytes] of each file of an archive, in order, or of a folder, in the order of an archive. */
async function* membersOf(path) {
  if (!statSync(path).isDirectory()) return yield* tarred(path);
  const files = readdirSync(path, { recursive: true, withFileTypes: true }).filter((entry) => !entry.isDirectory());
  const names = files.map((entry) => join(entry.parentPath ?? entry.path, entry.name).slice(join(path, "/").length));
  const rank = (name) => ["run.toml", "config.toml"].indexOf(name) + 1 || (name === "signature.toml" ? 9 : 3);
  names.sort((one, other) => rank(one) - rank(other) || inOrder(placeOf(one), placeOf(other)));
  for (const name of names) yield [name, readFileSync(join(path, name))];
}

async function* tarred(path) {
  let rest = Buffer.alloc(0);
  const source = createReadStream(path).pipe(createGunzip())[Symbol.asyncIterator]();
  const take = async (size) => {
    const parts = [rest];
    for (let have = rest.length; have < size; have += parts.at(-1).length) {
      const { done, value } = await source.next();
      if (done) refuse(path, "the tar file ends too early");
      parts.push(value);
    }
    const all = parts.length > 1 ? Buffer.concat(parts) : rest;
    rest = all.subarray(size);
    return all.subarray(0, size);
  };
  const field = (header, from, to) => header.toString("utf8", from, to).split("\0")[0];
  for (let longName = ""; ; ) {
    const header = await take(512);
    if (header.every((byte) => byte === 0)) break;
    const sum = header.reduce((total, byte, at) => total + (at >= 148 && at < 156 ? 32 : byte), 0);
    if (parseInt(field(header, 148, 156), 8) !== sum) refuse(path, "the header of a file in the tar is damaged");
    const name = longName || field(header, 0, 100);
    const [size, type] = [parseInt(field(header, 124, 136), 8), field(header, 156, 157) || "0"];
    const data = (await take(size + mod(-size, 512))).subarray(0, size);
    const [, found] = (type === "x" && /^\d+ path=(.*)$/m.exec(data.toString())) || [];
    longName = found ?? "";
    if (type === "0") yield [name, data];
    else if (type !== "x") refuse(path, `${shown(name)} is not a regular file`);
  }
  for (let done = false, value = rest; !done; { done, value } = await source.next())
    if (!value.every((byte) => byte === 0)) refuse(path, "other data follow the last file");
}

/** Return the parts of the name of a record or of a file beside it: correction, entry, line-up, set, rotation, which. */
function placeOf(name) {
  const number = "(0|[1-9]\\d*)";
  const pattern = new RegExp(`^(?:games|voided/([1-9]\\d*))/([^/]+)/([^/]+)/${number}-${number}(\\.stories|\\.notes)?\\.toml$`);
  const [, correction = 0, entry, lineup, set, rotation, beside] = pattern.exec(name) ?? [];
  return entry && [Number(correction), entry, lineup, Number(set), Number(rotation), BESIDE.indexOf(beside)];
}

/** The files of a game in order: its record, then the files beside it. */
const BESIDE = [undefined, ".stories", ".notes"];

/** Compare two places: entries and line-ups as text, numbers as numbers. Any other file comes before them. */
function inOrder(one = [], other = []) {
  for (const at of range(6)) if (one[at] !== other[at]) return (one[at] ?? -1) < (other[at] ?? -1) ? -1 : 1;
  return 0;
}

// ---------------------------------------------------------------------------------------------------------------------
// "Record of a game": the only form of the text. A schema lists the tables and keys in order; "?" may be absent.

const RECORD = {
  "": "format:text id:text engine:text rules:text variant:text options:table first_dealer:number commitment:text",
  conditions: "on_fault:text isolation:text instances:text time:table measures?:texts",
  "seat[]": "bot:text version:text fingerprint:text",
  "hand[]": "dealer:number packs:texts actions:texts ms:numbers forced:numbers substituted:numbers scores?:numbers",
  "fault[]": "hand:number action:number seat:number kind:text limit_ms:number elapsed_ms:number detail:text",
  result: "ended:text winners:numbers ranks:numbers games:numbers",
  integrity: "sha256:text",
};
const STORIES = {
  "": "format:text game:text",
  "story[]": "seat:number bot:text legal:texts how_ended:text stderr:text log:text",
  integrity: "sha256:text",
};
const NOTES = {
  "": "format:text game:text",
  "note[]": "hand:number action:number seat:number text:text",
  integrity: "sha256:text",
};
const RUN = {
  "": `format:text fingerprint:text name:text label?:text commitment:text seed?:text practice:flag packs:text
    beacon?:text sets_after_seed?:number engine:text rules:text started:text ended?:text stopped?:text
    config_sha256:text games:number stories?:number notes?:number`,
  "bot[]": "name:text version:text fingerprint:text author:text",
  "void[]": "entry:text lineup:text set:number correction?:number attempt:number bots:texts why:text saved:text",
  "cpu[]": "bot:text cpu_ms:number processes:number",
  "machine[]": "cpu:text speed?:number sets:number",
  "correction[]": `number:number kind:text bot?:text by:text why:text saved:text commitment?:text seed?:text
    games:number sets?:lines`,
  "place[]": "place:number bot:text points?:real share?:real opponents?:real byes?:number remark?:text",
  "match[]": `round:number title:text bot:text opponent?:text won?:real games?:number winner?:text decided_by?:text`,
  integrity: "sha256:text",
};

class Real {
  constructor(text) { this.text = text; }
}

const IS = {
  text: (value) => typeof value === "string",
  number: (value) => typeof value === "number",
  flag: (value) => typeof value === "boolean",
  real: (value) => value instanceof Real,
  texts: (value) => Array.isArray(value) && value.every(IS.text),
  numbers: (value) => Array.isArray(value) && value.every(IS.number),
  lines: (value) => IS.texts(value),
  table: (value) => value !== null && typeof value === "object" && !Array.isArray(value) && !IS.real(value),
};

const TOKEN = /\s*("(?:[^"\\]|\\.)*"|-?\d+\.\d+(?:e[-+]?\d+)?|-?\d+|[A-Za-z0-9_-]+|[[\]{},=])/y;

/** Return the value of one line of TOML. */
function valueOf(text) {
  TOKEN.lastIndex = 0;
  const next = () => (TOKEN.exec(text) ?? refuse("", "no value"))[1];
  const value = (token) => {
    if (token === "[") return list("]", value);
    if (token === "{") return Object.fromEntries(list("}", pair));
    if (token === "true" || token === "false") return token === "true";
    if (/^-?\d+\./.test(token)) return new Real(token);
    return JSON.parse(token); // in this form, a TOML string is also a JSON string
  };
  const pair = (key) => (next() === "=" ? [key, value(next())] : refuse("", "no ="));
  const list = (end, item) => {
    const items = [];
    for (let token = next(); token !== end; token = next()) if (token !== ",") items.push(item(token));
    return items;
  };
  const found = value(next());
  return TOKEN.lastIndex === text.length ? found : refuse("", "more than a value");
}

/** Read TOML into an object as `bowerbird export GAME --format json` writes it: tables and lists of tables by name. */
function parsed(member, text) {
  const document = {};
  let [table, open] = [document, undefined];
  text.split("\n").forEach((line, at) => {
    try {
      const [, list, single] = /^\[\[([a-z]+)\]\]$|^\[([a-z]+)\]$/.exec(line) ?? [];
      const [, key, value] = /^([A-Za-z0-9_-]+) = (.*)$/.exec(line) ?? [];
      if (open) line === "]" ? (open = undefined) : open.push(valueOf(line.replace(/^ {4}(.*),$/, "$1")));
      else if (list) (document[list] ??= []).push((table = {}));
      else if (single) table = document[single] = {};
      else if (key && value === "[") open = table[key] = []; // a list with each text on a separate line
      else if (key) table[key] = valueOf(value);
      else if (line) refuse("", "no key");
    } catch {
      refuse(member, `line ${at + 1} is not of the form of a record`);
    }
  });
  return document;
}

const ESCAPES = { '"': '\\"', "\\": "\\\\", "\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r" };
const ESCAPED = /["\\\x00-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g;

function written(value) {
  if (IS.real(value)) return value.text;
  if (Array.isArray(value)) return `[${value.map(written).join(", ")}]`;
  if (IS.table(value)) {
    const pairs = Object.entries(value).map(([key, one]) => `${key} = ${written(one)}`);
    return pairs.length ? `{ ${pairs.join(", ")} }` : "{}";
  }
  if (!IS.text(value)) return String(value);
  const escape = (one) => ESCAPES[one] ?? `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return `"${value.replace(ESCAPED, escape)}"`;
}

/** Return the only correct text of a document. Reject a missing key, or a value of the wrong type. */
function textOf(member, schema, document) {
  const lines = [];
  for (const [name, keys] of Object.entries(schema)) {
    const table = name.replace("[]", "");
    const found = name === "" ? [document] : name === table ? [document[table] ?? {}] : (document[table] ?? []);
    for (const one of found) {
      if (name) lines.push("", name === table ? `[${table}]` : `[[${table}]]`);
      for (const [, key, optional, type] of keys.matchAll(/(\w+)(\??):(\w+)/g)) {
        if (one[key] === undefined && optional) continue;
        if (!IS[type](one[key])) refuse(member, `${table ? `[${table}] ` : ""}${key} is missing, or no ${type}`);
        if (type === "lines") lines.push(`${key} = [`, ...one[key].map((item) => `    ${written(item)},`), "]");
        else lines.push(`${key} = ${written(one[key])}`);
      }
    }
  }
  return `${lines.join("\n")}\n`;
}

/** Read a member that has this form and a matching digest. */
function readMember(member, data, schema, format) {
  const text = data.toString("utf8");
  if (!Buffer.from(text).equals(data)) refuse(member, "it is not UTF-8");
  const document = parsed(member, text);
  for (const table of Object.keys(schema)) if (table.endsWith("[]")) document[table.slice(0, -2)] ??= [];
  if (document.format !== format) refuse(member, `its format is ${shown(document.format ?? "")}, not "${format}"`);
  const [lines, right] = [text.split("\n"), textOf(member, schema, document).split("\n")];
  const line = range(Math.max(lines.length, right.length)).find((at) => lines[at] !== right[at]);
  if (line !== undefined) refuse(member, `line ${line + 1} is not of the form of the page`);
  if (hex(text.slice(0, text.lastIndexOf("[integrity]\n"))) !== document.integrity.sha256)
    refuse(member, "the digest does not fit: the text was changed after it was written");
  return document;
}

// ---------------------------------------------------------------------------------------------------------------------
// "Shuffling"

/** Return uniform(n) of the stream with these fields. */
function stream(seed, ...fields) {
  const encoded = fields.map((field) => Buffer.from(String(field)));
  const parts = encoded.flatMap((text) => [Buffer.alloc(4), text]);
  encoded.forEach((text, at) => parts[2 * at].writeUInt32BE(text.length));
  let [block, words] = [0n, []];
  const word = () => {
    if (!words.length) {
      const number = Buffer.alloc(8);
      number.writeBigUInt64BE(block++);
      const message = Buffer.concat([Buffer.from("bowerbird/1"), ...parts, number]);
      const bytes = createHmac("sha256", seed).update(message).digest();
      words = range(8).map((at) => bytes.readUInt32BE(4 * at));
    }
    return words.shift();
  };
  return (n) => {
    for (;;) {
      const one = word();
      if (one < 2 ** 32 - (2 ** 32 % n)) return one % n;
    }
  };
}

function shuffled(cards, uniform) {
  const pack = [...cards];
  for (let i = pack.length - 1; i > 0; i--) {
    const other = uniform(i + 1);
    [pack[i], pack[other]] = [pack[other], pack[i]];
  }
  return pack;
}

/** "Cards": return the pack of `ranks` ranks in canonical order, with `jokers`, twice in a double pack. */
function canonicalPack(ranks, jokers = "", copies = 1) {
  const single = [..."shdc"].flatMap((suit) => [..."AKQJT98765432"].slice(0, ranks).map((rank) => rank + suit));
  return [...range(copies).flatMap(() => single), ...jokers.split(" ").filter(Boolean)];
}

/** rules.md, section 2 of each variant: its pack; and section 1: its seats, and its sides if they are fixed. */
const [TEAMS, SIX] = [{ seats: () => 4, sides: 2 }, { seats: () => 6, sides: 2 }];
const [TWO, THREE, FOUR] = [{ seats: () => 2 }, { seats: () => 3 }, { seats: () => 4 }];
const byPlayers = (options) => options.players;
const byDeck = (options) => canonicalPack(options.deck / 4, options.joker ? "X1" : "");
const ranks6 = () => canonicalPack(6);
const DECKS = { "single-24": [6, 1], "double-32": [4, 2], "double-40": [5, 2], "double-48": [6, 2] };
const VARIANTS = {
  euchre: { ...TEAMS, pack: byDeck },
  british: { ...TEAMS, pack: () => canonicalPack(6, "X1") },
  railroad: { ...TEAMS, pack: () => canonicalPack(8, "X1") },
  "lap-slam": { ...TEAMS, pack: byDeck },
  "two-handed": { ...TWO, pack: byDeck },
  "two-handed-extra-hands": { ...TWO, pack: ranks6 },
  "two-handed-dummy": { ...TWO, pack: byDeck },
  "two-handed-straw-men": { ...TWO, pack: ranks6 },
  "three-handed": { ...THREE, pack: byDeck },
  "cut-throat": { ...THREE, pack: byDeck },
  "king-cut-throat": { seats: byPlayers, pack: () => canonicalPack(8, "X1") },
  buck: { ...FOUR, pack: ranks6 },
  "buck-turn-up": { ...FOUR, pack: ranks6 },
  "buck-wager": { ...FOUR, pack: ranks6 },
  // V15.2: the fewest whole ranks with at least 5 cards for each player and an upcard
  "dirty-clubs": { seats: byPlayers, pack: ({ players }) => canonicalPack(Math.ceil((5 * players + 1) / 4)) },
  "buck-three-handed": { ...THREE, pack: ranks6 },
  "bid-102": { ...FOUR, pack: ranks6 },
  "five-handed": { seats: () => 5, pack: () => canonicalPack(7) },
  cornish: { ...SIX, pack: (options) => (options.pack === 50 ? canonicalPack(6, "Xr Xb", 2) : canonicalPack(8, "X1")) },
  almonte: { ...SIX, pack: () => canonicalPack(7, "X1 X2 X3") },
  "seven-handed": { seats: () => 7, pack: () => canonicalPack(13, "X1") },
  "bid-euchre": { ...TEAMS, pack: ({ deck }) => canonicalPack(DECKS[deck][0], "", DECKS[deck][1]) },
  hasenpfeffer: { ...TEAMS, pack: () => canonicalPack(6, "X1") },
  "buck-auction": { ...FOUR, pack: ranks6 },
};

/** Check the packs of every hand. Return the number of shuffles. */
function checkPacks(member, record, seed, entry, set) {
  const whole = VARIANTS[record.variant].pack(record.options);
  record.hand.forEach((hand, number) => {
    const cardsOf = shufflesOf(record, number, whole);
    if (hand.packs.length !== cardsOf.length)
      refuse(member, `hand ${number} has ${hand.packs.length} packs, not ${cardsOf.length}`);
    cardsOf.forEach((cards, shuffle) => {
      const right = shuffled(cards, stream(seed, "pack", entry, set, number, shuffle)).join(" ");
      if (hand.packs[shuffle] !== right)
        refuse(member, `pack ${shuffle} of hand ${number} is not what the seed gives: ${right}`);
    });
  });
  return record.hand.reduce((total, hand) => total + hand.packs.length, 0);
}

/** Return the cards, in canonical order, of each shuffle of a hand. Only V11 has more than one. */
function shufflesOf(record, number, whole) {
  const { packs, actions } = record.hand[number];
  const found = [whole];
  if (record.variant !== "king-cut-throat") return found;
  const seats = record.seat.length;
  // V11.5.2: after three discards of each seat the top kitty card is turned, the tenth of the pack. A joker: redeal.
  const topOfKitty = () => packs[found.length - 1]?.split(" ")[9] ?? "";
  const hasDiscarded = () => actions.length >= 3 * seats * found.length;
  while (record.options.joker_flip === "redeal" && topOfKitty() === "X1" && hasDiscarded()) found.push(whole);
  // V11.5.8: with three seats and tricks 3-3-1 a showdown of the twelve cards that were not played, unless a king's
  // point ended the game with the last of the seven tricks.
  const plays = actions.filter((action) => action.includes(" play ")).map((action) => action.split(" play "));
  if (seats < 3 || plays.length < 21) return found;
  const [, namer] = /^\d (order|call .)/.exec(actions.find((action) => /^\d (order|call)/.test(action))) ?? [];
  const upcard = topOfKitty();
  const trump = namer === "order" ? (upcard === "X1" ? record.options.joker_flip : upcard[1]) : namer?.at(-1);
  const won = [0, 0, 0];
  for (const trick of range(7)) won[winnerOf(plays.slice(3 * trick, 3 * trick + 3), trump)]++;
  const isLast = number === record.hand.length - 1 && actions.at(-1) === plays[20].join(" play ");
  if (!same(won.sort(), [1, 3, 3]) || (isLast && record.result.ended === "king")) return found;
  const played = new Set(plays.slice(0, 21).map(([, card]) => card));
  return [...found, whole.filter((card) => !played.has(card))];
}

// ---------------------------------------------------------------------------------------------------------------------
// "Seats of a line-up"

/** Return the bot at each seat. */
function seated(kind, lineup, seats, sides, set, rotation) {
  const bots = lineup.split("+");
  if (kind === "teams") return range(seats).map((seat) => bots[mod(seat - rotation, sides)]);
  const orders = kind === "free-for-all" ? ordersOf(seats) : [range(seats)];
  const order = orders[set % orders.length];
  const found = [];
  bots.forEach((bot, position) => (found[(order[position] + rotation) % seats] = bot));
  return found;
}

const known = new Map();

/** Return the orders of a free-for-all table: the place by order and position in the line-up. */
export function ordersOf(seats) {
  if (known.has(seats)) return known.get(seats);
  const orders = [];
  const met = new Map();
  const others = (order) => range(seats).filter((place) => !order.includes(place));
  const pair = (order, one, other) => `${one} ${other} ${mod(order[other] - order[one], seats)}`;
  const pairs = (order) =>
    range(order.length ** 2)
      .map((at) => [Math.floor(at / order.length), at % order.length])
      .flatMap(([one, other]) => (one === other ? [] : [pair(order, one, other)]));
  const cost = (order) => pairs(order).reduce((total, pair) => total + (met.get(pair) ?? 0), 0);
  const best = (choices) => choices.reduce((least, one) => (one[0] < least[0] ? one : least), [Infinity])[1];
  const choose = (order) => {
    orders.push(order);
    for (const pair of pairs(order)) met.set(pair, (met.get(pair) ?? 0) + 1);
  };
  if ([2, 3, 5, 7].includes(seats)) {
    for (const factor of range(seats).slice(1)) orders.push(range(seats).map((place) => (place * factor) % seats));
  } else if (seats <= 6) {
    const longer = (order) => others(order).map((place) => [...order, place]);
    let left = [[0]];
    for (let size = 1; size < seats; size++) left = left.flatMap(longer);
    while (left.length) {
      choose(best(left.map((order) => [cost(order), order])));
      left = left.filter((order) => order !== orders.at(-1));
    }
  } else {
    while (orders.length < seats * (seats - 1)) {
      let order = [0];
      while (order.length < seats)
        order = best(others(order).map((place) => [cost([...order, place]), [...order, place]]));
      for (let improved = true; improved; ) {
        improved = false;
        for (let one = 1; one < seats; one++)
          for (let other = one + 1; other < seats; other++) {
            const exchanged = [...order];
            [exchanged[one], exchanged[other]] = [order[other], order[one]];
            if (cost(exchanged) < cost(order)) [order, improved] = [exchanged, true];
          }
      }
      choose(order);
    }
  }
  known.set(seats, orders);
  return orders;
}

// ---------------------------------------------------------------------------------------------------------------------
// The scores of V1 with default options (and any deck, target, lone_lead and lone_euchre_points)

const MATE = { s: "c", c: "s", h: "d", d: "h" };

/** A3: return the effective suit of a card. */
const suitOf = (card, trump) => (card[0] === "X" || card === `J${MATE[trump]}` ? trump : card[1]);

/** A3: return a number that orders the cards of one effective suit. */
function height(card, trump) {
  if (card[0] === "X") return 20;
  if (card[0] === "J" && suitOf(card, trump) === trump) return card[1] === trump ? 19 : 18;
  return "23456789TJQKA".indexOf(card[0]);
}

/** A5: return the seat that wins a trick, a list of [seat, card]. */
function winnerOf(trick, trump) {
  return trick.reduce((best, next) => {
    const [mine, theirs] = [suitOf(best[1], trump), suitOf(next[1], trump)];
    const beats = mine === theirs ? height(next[1], trump) > height(best[1], trump) : theirs === trump;
    return beats ? next : best;
  })[0];
}

const isPlayedOut = ({ variant, options, rules }) =>
  variant === "euchre" && rules === "1" && options.defend_alone === "never" && options.games_to_win === 1 &&
  !(options.lap || options.slam || options.jambone || options.jamboree) && hasNoFurtherRules(options);

/** Part O, B6 and B7: return whether these are off. Older records lack them. */
const hasNoFurtherRules = ({ misdeal = "none", farmers_hand = "none", alone_march_points = 4, ...options }) =>
  misdeal === "none" && farmers_hand === "none" && alone_march_points === 4 &&
  !(options.name_no_trump || options.joker || options.call_best || options.alone_needs_five);

/** Play a game: check every trick, the points of each hand, the running score, the end and the ranks. */
function playOut(member, record) {
  const { options, result } = record;
  const score = [0, 0];
  let [ended, isOpen] = ["", false];
  record.hand.forEach((hand, number) => {
    const where = `hand ${number}`;
    if (ended) refuse(member, `${where} follows the end of the game`);
    const points = playHand(member, where, hand, options);
    if ((isOpen = !points)) return;
    score[0] += points[0];
    score[1] += points[1];
    const right = range(4).map((seat) => score[seat % 2]);
    if (!same(hand.scores, right))
      refuse(member, `after ${where} the scores are ${right}, not ${hand.scores ?? "left out"}`);
    if (Math.max(...score) >= options.target) ended = "target"; // V1.9
    else if (number + 1 === options.max_hands) ended = "limit"; // A15
  });
  // "Results": the sides at fault are last
  const last = record.hand.length - 1;
  const atFault = record.hand.length
    ? record.fault.filter((fault) => fault.hand === last && fault.action === record.hand[last].actions.length)
    : record.fault;
  if (isOpen || !record.hand.length) ended = record.hand.length ? "forfeit" : "withdrawn";
  if (/forfeit|withdrawn/.test(ended) && !atFault.length) refuse(member, "the game stops, and no fault says why");
  const guilty = /forfeit|withdrawn/.test(ended) ? [...new Set(atFault.map((fault) => fault.seat % 2))] : [];
  const sides = [0, 1].filter((side) => !guilty.includes(side));
  const best = Math.max(...sides.map((side) => score[side]));
  const winners = range(4).filter((seat) => sides.includes(seat % 2) && score[seat % 2] === best);
  const ranks = range(4).map((seat) => (winners.includes(seat) || !winners.length ? 1 : 2));
  const right = { ended, winners, ranks, games: [] };
  for (const key of Object.keys(right))
    if (!same(result[key], right[key]))
      refuse(member, `the result has ${key} ${shown(result[key])}, the play gives ${shown(right[key])}`);
}

/** Play a hand of V1. Return the points of both sides, or undefined if it did not end. */
function playHand(member, where, { dealer, packs, actions, scores }, options) {
  const pack = packs[0].split(" ");
  const eldest = (dealer + 1) % 4;
  // V1.4: packets of two and three from the eldest, then the upcard
  const hands = range(4).map((seat) => {
    const turn = mod(seat - eldest, 4);
    return new Set([...pack.slice(2 * turn, 2 * turn + 2), ...pack.slice(8 + 3 * turn, 11 + 3 * turn)]);
  });
  const upcard = pack[20];
  let [trump, maker, isAlone, passes, leader] = ["", -1, false, 0, -1];
  let trick = [];
  const tricks = [0, 0];
  const remove = (seat, card) => {
    if (!hands[seat].delete(card)) refuse(member, `${where}: seat ${seat} does not hold ${card}`);
  };
  for (const action of actions) {
    const [seatText, word, argument] = action.split(" ");
    const seat = Number(seatText);
    if (word === "pass") passes++;
    else if (word === "order" || word === "call") {
      [trump, maker, isAlone] = [word === "order" ? upcard[1] : argument, seat, action.endsWith(" alone")];
      if (word === "order") hands[dealer].add(upcard); // T2
    } else if (word === "discard") remove(seat, argument);
    else {
      const isActive = (one) => !(isAlone && one === (maker + 2) % 4); // L2
      const active = (from) => range(4).map((step) => (from + step) % 4).filter(isActive);
      if (leader < 0) [leader] = active(isAlone && options.lone_lead === "left_of_lone" ? maker + 1 : eldest); // A6, L5
      const order = active(leader);
      if (word !== "play" || seat !== order[trick.length]) refuse(member, `${where}: ${shown(action)} is out of turn`);
      remove(seat, argument);
      const led = suitOf(trick[0]?.[1] ?? argument, trump);
      if (suitOf(argument, trump) !== led && [...hands[seat]].some((card) => suitOf(card, trump) === led))
        refuse(member, `${where}: ${shown(action)} does not follow suit`); // A4
      trick.push([seat, argument]);
      if (trick.length === order.length) {
        leader = winnerOf(trick, trump);
        tricks[leader % 2]++;
        trick = [];
      }
    }
  }
  if (passes === 8) return [0, 0]; // T4
  if (tricks[0] + tricks[1] < 5) return scores ? refuse(member, `${where} has scores, but did not end`) : undefined;
  const [made, points] = [tricks[maker % 2], [0, 0]]; // V1.8
  if (made < 3) points[(maker + 1) % 2] = isAlone ? options.lone_euchre_points : 2;
  else points[maker % 2] = made === 5 ? (isAlone ? 4 : 2) : 1;
  return points;
}

// ---------------------------------------------------------------------------------------------------------------------
// "Signature of an archive"

const SIGNATURE = new RegExp(
  String.raw`^format = "bowerbird-signature/1"\nalgorithm = "ed25519"\nkey = "bowerbird-ed25519:([0-9a-f]{64})"\n` +
    String.raw`signed = "[^"\n]+"\nby = "[^"\n]*"\nmembers = (\d+)\nsha256 = "([0-9a-f]{64})"\nblock_size = (\d+)\n` +
    String.raw`blocks = \[\n((?: {4}"[0-9a-f]{64}",\n)*)\]\nsignature = "([0-9a-f]{128})"\n$`,
);

/** Check the signature of an archive, given the [line, name] of each file. Return the fingerprint of the key. */
function checkSignature(data, lines, games, withNotes) {
  const member = "signature.toml";
  const text = data.toString();
  const found = SIGNATURE.exec(text) ?? refuse(member, "it is not of the form of the page");
  const [, key, members, whole, blockSize, blocks, signature] = found;
  // RFC 8410: the DER form of an Ed25519 public key is these twelve bytes and the key
  const der = Buffer.concat([Buffer.from("302a300506032b6570032100", "hex"), Buffer.from(key, "hex")]);
  const signed = Buffer.from(`bowerbird-archive-signature/1\n${text.slice(0, text.lastIndexOf("signature = "))}`);
  const publicKey = createPublicKey({ key: der, format: "der", type: "spki" });
  if (!verify(null, signed, publicKey, Buffer.from(signature, "hex")))
    refuse(member, "the signature was not made with its key, or not for this text");
  let size = 1;
  while (size * 256 < (withNotes ? 3 : 2) * games) size *= 2;
  if (Number(blockSize) !== size) refuse(member, `block_size is ${blockSize}, and ${size} for ${games} games`);
  const starts = [0, 1, ...range(Math.ceil(Math.max(0, lines.length - 2) / size)).map((block) => 2 + size * block)];
  const stated = blocks.match(/[0-9a-f]{64}/g) ?? [];
  starts.forEach((start, block) => {
    const part = lines.slice(start, starts[block + 1]);
    const names = part.length > 1 ? `${part[0][1]} to ${part.at(-1)[1]}` : part[0][1];
    if (hex(...part.map(([line]) => line)) !== stated[block])
      refuse(names, "changed, added or removed after the archive was signed");
  });
  if (stated.length !== starts.length || Number(members) !== lines.length)
    refuse(member, `${members} files were signed, and ${lines.length} are there`);
  if (hex("bowerbird-archive-members/1\n", ...lines.map(([line]) => line)) !== whole)
    refuse(member, "sha256 is not the digest of the files");
  return hex(Buffer.from(key, "hex")).slice(0, 24).match(/.{4}/g).join("-");
}

// ---------------------------------------------------------------------------------------------------------------------

/** "Archive of a run": return the digest of the run, from the lines of its files and run.toml without a label. */
function runDigest(run, lines) {
  const body = textOf("run.toml", RUN, { ...run, label: undefined }).split("[integrity]\n")[0];
  const first = `${hex(`${body}[integrity]\nsha256 = "${hex(body)}"\n`)}  run.toml\n`;
  return hex("bowerbird-archive-members/1\n", first, ...lines.slice(1).map(([line]) => line));
}

/** The entries of config.toml by their names in ids: "Archive of a run". */
function entriesOf(config) {
  const entries = new Map();
  const count = {};
  for (const entry of parsed("config.toml", config).variant ?? []) {
    count[entry.name] = (count[entry.name] ?? -1) + 1;
    entries.set(`${entry.name}-${count[entry.name]}`, entry);
  }
  return entries;
}

/** The checks of one archive, file after file. */
class Archive {
  counts = { sets: 0, files: 0, stories: 0, notes: 0, dealt: 0, secret: 0, again: 0 };
  cards = { shuffles: 0, hands: 0, played: 0, scored: 0 };
  games = {}; // their number, by the correction that voided them; 0 for those that count
  open = 0; // the number of rotations of the last deal set still to come

  constructor(path, run, config) {
    Object.assign(this, { path, run, entries: entriesOf(config.toString()) });
    if (hex(config) !== run.config_sha256) refuse("config.toml", "its SHA-256 is not config_sha256 of run.toml");
    if (hex(`${run.name}\0${run.commitment}`).slice(0, 10) !== run.fingerprint)
      refuse("run.toml", "the fingerprint is not that of name and commitment");
    this.bots = new Set(run.bot.map((bot) => written([bot.name, bot.version, bot.fingerprint])));
    this.voids = {};
    for (const { entry, lineup, set, correction = 0 } of run.void) {
      const key = `${entry}/${lineup}/${set} ${correction}`;
      this.voids[key] = (this.voids[key] ?? 0) + 1;
    }
    // "Corrections": a deal set that a correction names is dealt again from the seed of the correction
    this.ofRun = { number: 0, seed: this.seedOf(run), commitment: run.commitment };
    this.dealtAgain = new Map();
    run.correction.forEach((correction, at) => {
      const { number, commitment, games, sets = [] } = correction;
      if (number !== at + 1) refuse("run.toml", `correction ${number} is not in its order`);
      const source = { number, commitment, games, seed: this.seedOf(correction) };
      for (const set of sets) this.dealtAgain.set(set, [...(this.dealtAgain.get(set) ?? []), source]);
    });
  }

  /** "Seed and commitment": return the seed of the streams; undefined while it is secret. */
  seedOf({ seed, commitment, number }) {
    if (seed === undefined) return undefined;
    const secret = Buffer.from(seed, "hex");
    if (!/^[0-9a-f]{64}$/.test(seed) || `sha256:${hex(secret)}` !== commitment)
      refuse("run.toml", `the seed ${number ? `of correction ${number} ` : ""}is not the committed one`);
    return this.run.beacon === undefined ? secret : sha256(secret, this.run.beacon);
  }

  /** Check a record at its place. */
  takeRecord(member, record, [voidedBy, entry, lineup, set, rotation]) {
    const { counts, cards, run } = this;
    const key = `${entry}/${lineup}/${set}`;
    // "Corrections": a game that correction N voided comes from the seed before it, and one that counts from the last
    const corrections = this.dealtAgain.get(key) ?? [];
    const sources = [this.ofRun, ...corrections].filter((source) => !voidedBy || source.number < voidedBy);
    const { seed, commitment, number } = sources.at(-1);
    if (voidedBy && !corrections.some((source) => source.number === voidedBy))
      refuse(member, `correction ${voidedBy} does not name its deal set`);
    if (record.commitment !== commitment)
      refuse(member, `its commitment is not that of ${number ? `correction ${number}` : "the run"}`);
    this.checkHead(member, record, `${run.fingerprint}/${key}/${rotation}`, entry);
    const rotations = this.checkSeats(member, record, entry, lineup, set, rotation);
    // "Seats of a line-up": a deal set has a game for each rotation
    if (rotation !== (this.open ? rotations - this.open : 0))
      refuse(member, "its deal set lacks rotations before it, or has too many");
    if (!this.open) [this.open, counts.sets] = [rotations, counts.sets + 1];
    this.open--;
    this.games[voidedBy] = (this.games[voidedBy] ?? 0) + 1;
    const attempt = this.voids[`${key} ${number}`] ?? 0;
    if (attempt > 2) refuse(member, "its deal set has three voids and is left out");
    if (seed) {
      const field = (run.packs === "own" ? `${entry}/${lineup}` : entry) + (attempt ? `//${attempt}` : "");
      const dealer = stream(seed, "dealer", field, set)(record.seat.length);
      if (record.first_dealer !== dealer)
        refuse(member, `the first dealer is seat ${record.first_dealer}, and the seed gives seat ${dealer}`);
      cards.shuffles += checkPacks(member, record, seed, field, set);
      cards.hands += record.hand.length;
      counts.dealt++;
      if (attempt || number) counts.again++;
    } else counts.secret++;
    if (isPlayedOut(record)) {
      playOut(member, record);
      cards.played++;
      cards.scored += record.hand.length;
    }
  }

  /** Check id, variant, options and bots of a record, and the form of its hands. */
  checkHead(member, record, id, entry) {
    if (record.id !== id) refuse(member, `its id is ${shown(record.id)}, not ${id}`);
    const terms = this.entries.get(entry) ?? refuse(member, `config.toml has no entry ${entry}`);
    if (record.variant !== terms.name || !VARIANTS[record.variant])
      refuse(member, `its variant is ${shown(record.variant)}, and ${terms.name} in config.toml`);
    if (!same(record.options, terms.options) || !same(Object.keys(record.options), Object.keys(record.options).sort()))
      refuse(member, "its options are not those of config.toml");
    if (record.conditions.on_fault !== terms.on_fault) refuse(member, "its on_fault is not that of config.toml");
    const seats = VARIANTS[record.variant].seats(record.options);
    if (record.seat.length !== seats) refuse(member, `it has ${record.seat.length} seats, not ${seats}`);
    for (const { bot, version, fingerprint } of record.seat)
      if (!this.bots.has(written([bot, version, fingerprint])))
        refuse(member, `bot ${bot} with these files is not in run.toml`);
    if ((record.result.ended === "withdrawn") !== !record.hand.length)
      refuse(member, "it has no hand, or was not played");
    record.hand.forEach((hand, number) => {
      const isOpen = number === record.hand.length - 1 && record.result.ended === "forfeit";
      if (hand.dealer !== (record.first_dealer + number) % seats)
        refuse(member, `the dealer of hand ${number} is seat ${hand.dealer}`);
      if (isOpen ? hand.scores : hand.scores?.length !== seats)
        refuse(member, `the scores of hand ${number} are not one for each seat`);
      if (hand.ms.length !== hand.actions.length)
        refuse(member, `hand ${number} has ${hand.ms.length} times for its actions`);
      for (const key of ["forced", "substituted"])
        hand[key].forEach((action, at) => {
          if (action <= (hand[key][at - 1] ?? -1) || hand.ms[action] !== 0)
            refuse(member, `hand ${number}: ${key} names action ${action}, which is out of order or has a time`);
        });
    });
  }

  /** Check the bots at the seats. Return how many rotations the deal set has. */
  checkSeats(member, record, entry, lineup, set, rotation) {
    const kind = this.entries.get(entry).lineup;
    const { sides } = VARIANTS[record.variant];
    const bots = record.seat.map((seat) => seat.bot);
    if (!same(bots, seated(kind, lineup, bots.length, sides, set, rotation)))
      refuse(member, `at its seats are ${bots.join(", ")}, which is not rotation ${rotation} of its line-up`);
    return kind === "teams" ? sides : bots.length;
  }

  /** "Archive of a run": check the stories of a record's faults. */
  takeStories(member, { game, story }, record) {
    if (game !== record.id || !story.length) refuse(member, `it is about game ${shown(game)}, or has no story`);
    story.forEach((one, at) => {
      if (at && story[at - 1].seat >= one.seat) refuse(member, "its seats are not ascending");
      if (record.seat[one.seat]?.bot !== one.bot) refuse(member, `bot ${shown(one.bot)} is not at seat ${one.seat}`);
      if (!record.fault.some((fault) => fault.seat === one.seat))
        refuse(member, `seat ${one.seat} has no fault in the record`);
    });
    this.counts.stories += story.length;
    this.counts.files++;
  }

  /** "Archive of a run": check the notes about a record's actions. */
  takeNotes(member, { game, note }, record) {
    if (game !== record.id || !note.length) refuse(member, `it is about game ${shown(game)}, or has no note`);
    const used = {};
    note.forEach(({ hand, action, seat, text }, at) => {
      const before = note[at - 1];
      if (before && (before.hand - hand || before.action - action) >= 0)
        refuse(member, "its actions are not ascending");
      const { actions = [], forced = [], substituted = [] } = record.hand[hand] ?? {};
      if (actions[action]?.split(" ")[0] !== String(seat) || forced.includes(action) || substituted.includes(action))
        refuse(member, `seat ${seat} did not choose action ${action} of hand ${hand}`);
      const bytes = Buffer.byteLength(text);
      used[seat] = (used[seat] ?? 0) + bytes;
      if (!bytes || bytes > 1024 || text.includes("\0") || used[seat] > 65536)
        refuse(member, `the note of action ${action} of hand ${hand} is longer than is kept`);
    });
    this.counts.notes += note.length;
    this.counts.files++;
  }

  /** Check that a deal set is complete before the next one begins. */
  endSet(last) {
    if (this.open) refuse(this.path, `after ${last} the next rotation of its deal set is missing`);
  }

  /** Check the numbers of run.toml. */
  end() {
    const { run, games, counts } = this;
    const check = (said, found, what) => {
      if (said !== found) refuse("run.toml", `it says ${said} ${what}, and ${found} are there`);
    };
    check(run.games, games[0] ?? 0, "games");
    for (const { number, games: said } of run.correction)
      check(said, games[number] ?? 0, `games voided by correction ${number}`);
    check(run.stories ?? 0, counts.stories, "stories");
    check(run.notes ?? 0, counts.notes, "notes");
  }

  report(members, json, key, digest) {
    const { run, counts, cards } = this;
    const games = Object.values(this.games).reduce((total, number) => total + number, 0);
    const say = (what, sentence) => console.log(`${what.padEnd(13)}${sentence}`);
    say("archive", `${members} files in order`);
    const beside = `${counts.stories} stories` + (counts.notes ? ` and ${counts.notes} notes` : "");
    say("digests", `run.toml, config.toml, ${games} records, ${counts.files} files with ${beside}`);
    if (json) say("json", `${json} games as JSON have the content of their records`);
    const voided = games - run.games;
    say("ids", `${games} games of run ${run.fingerprint} (${run.name}), ${voided} of them voided by corrections`);
    say("seats", `${counts.sets} whole deal sets, each bot at the seat of its rotation`);
    if (!run.seed) say("seed", "still secret: first dealers and packs are not checked");
    else say("seed", `fits the commitment${run.beacon === undefined ? "" : `; beacon ${shown(run.beacon)}`}`);
    const unchecked = counts.secret ? `; ${counts.secret} games not checked, their seed is secret` : "";
    say("dealers", `${counts.dealt} first dealers follow from the seed${unchecked}`);
    const shuffles = `${cards.shuffles} shuffles of ${cards.hands} hands follow from the seed`;
    say("packs", `${shuffles}; ${counts.again} games were dealt again`);
    say("scores", `${cards.played} games of euchre with ${cards.scored} hands played out`);
    say("signature", key ? `fits; key ${key}` : "none");
    if (run.ended !== undefined) say("run digest", `${digest}: compare it with a published one`);
    say("commitment", `${run.commitment}: compare it with the published one`);
  }
}

async function main(path, jsonFiles) {
  const json = new Map(jsonFiles.map((file) => [JSON.parse(readFileSync(file, "utf8")).id, file]));
  const lines = []; // the signed data: [line, name] of each file
  const members = membersOf(path);
  const next = async (wanted) => {
    const [name, data] = (await members.next()).value ?? [];
    if (wanted && name !== wanted) refuse(path, `expected ${wanted}, found ${name ? shown(name) : "the end"}`);
    if (name && name !== "signature.toml") lines.push([`${hex(data)}  ${name}\n`, name]);
    return [name, data];
  };
  const [, runData] = await next("run.toml");
  const run = readMember("run.toml", runData, RUN, "bowerbird-run/1");
  const [, config] = await next("config.toml");
  const archive = new Archive(path, run, config);

  let [last, lastName, record, signature] = [];
  for (let [name, data] = await next(); name; [name, data] = await next()) {
    if (signature) refuse(name, "it follows signature.toml, which is last");
    if (name === "signature.toml") {
      signature = data;
      continue;
    }
    const place = placeOf(name) ?? refuse(name, "it does not belong in the archive of a run");
    if (inOrder(last, place) >= 0) refuse(name, "it is not in its order");
    const isSame = (parts) => same(last?.slice(0, parts), place.slice(0, parts));
    if (place[5]) {
      if (!isSame(5)) refuse(name, "its record does not precede it");
      if (place[5] === 1) archive.takeStories(name, readMember(name, data, STORIES, "bowerbird-stories/1"), record);
      else archive.takeNotes(name, readMember(name, data, NOTES, "bowerbird-notes/1"), record);
    } else {
      if (!isSame(4)) archive.endSet(lastName);
      record = readMember(name, data, RECORD, "bowerbird-record/1");
      archive.takeRecord(name, record, place);
      const file = place[0] ? undefined : json.get(record.id);
      if (file && textOf(file, RECORD, JSON.parse(readFileSync(file, "utf8"))) !== data.toString())
        refuse(file, `it is not the content of ${name}`);
      if (file) json.delete(record.id);
    }
    [last, lastName] = [place, name];
  }
  archive.endSet(lastName);
  archive.end();
  for (const [, file] of json) refuse(file, "its game is not in the archive");
  const games = run.correction.reduce((total, correction) => total + correction.games, run.games);
  const key = signature && checkSignature(signature, lines, games, run.notes);
  archive.report(lines.length + (key ? 1 : 0), jsonFiles.length, key, runDigest(run, lines));
}

const [program, path, ...jsonFiles] = process.argv.slice(1);
const isProgram = program !== undefined && realpathSync(program) === fileURLToPath(import.meta.url);
if (isProgram && !path) {
  console.error("usage: node verify.mjs RUN.tar.gz [GAME.json ...]");
  process.exitCode = 2;
} else if (isProgram) {
  main(path, jsonFiles).catch((error) => {
    console.error(error instanceof Wrong ? error.message : `${path}: cannot be read (${error.message})`);
    process.exitCode = 1;
  });
}
