// A bot that speaks JSON lines (bridges.md): it plays its lowest card.
const RANKS = "23456789TJQKA";
const lines = require("node:readline").createInterface({ input: process.stdin });

function choose(legal) {
  const cards = legal.filter((token) => token.startsWith("play "));
  const rank = (token) => RANKS.indexOf(token[5]);
  return cards.length ? cards.reduce((low, token) => (rank(token) < rank(low) ? token : low)) : legal[0];
}

lines.on("line", (line) => {
  const message = JSON.parse(line);
  if (message.type === "hello") console.log(JSON.stringify({ ready: true }));
  if (message.type === "decision") {
    console.log(JSON.stringify({ id: message.id, action: choose(message.legal) }));
  }
});
