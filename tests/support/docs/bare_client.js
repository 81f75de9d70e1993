// A bot without any library: HTTP/2 from Node, gRPC's framing and protobuf by hand, as docs/how-to/write-a-client.md
// ("gRPC without a gRPC library") describes them. It answers every decision with index 0.
"use strict";

const http2 = require("node:http2");
const net = require("node:net");

const address = process.env.BOWERBIRD_ADDRESS;
const socket = address.startsWith("unix:")
  ? net.connect(address.slice("unix:".length))
  : net.connect(Number(address.split(":")[1]), address.split(":")[0]);
const session = http2.connect("http://localhost", { createConnection: () => socket });
const stream = session.request({
  ":method": "POST",
  ":path": "/bowerbird.seat.v1.SeatService/Play",
  te: "trailers",
  "content-type": "application/grpc",
});

function varint(value) {
  const bytes = [];
  for (; value >= 128; value = Math.floor(value / 128)) bytes.push((value % 128) | 128);
  return Buffer.from([...bytes, value]);
}

const number = (field, value) => Buffer.concat([varint(field * 8), varint(value)]);
const held = (field, ...parts) => {
  const data = Buffer.concat(parts);
  return Buffer.concat([varint(field * 8 + 2), varint(data.length), data]);
};

function send(...parts) {
  const message = Buffer.concat(parts);
  const prefix = Buffer.alloc(5);
  prefix.writeUInt32BE(message.length, 1);
  stream.write(Buffer.concat([prefix, message]));
}

// Returns the fields of a message as [number, value]: a number, or bytes.
function fields(data) {
  let at = 0;
  const read = () => {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = data[at++];
      value += (byte & 127) * scale;
      if (byte < 128) return value;
    }
  };
  const found = [];
  while (at < data.length) {
    const tag = read();
    let value = read();
    if (tag % 8 === 2) {
      at += value;
      value = data.subarray(at - value, at);
    }
    found.push([Math.floor(tag / 8), value]);
  }
  return found;
}

function receive(message) {
  const [[kind, body]] = fields(message);
  const inside = fields(body);
  if (kind === 1 && inside.some(([field, value]) => field === 6 && value === 1)) send(held(2)); // Welcome: Ready
  if (kind === 3) {
    const decisions = inside.filter(([field]) => field === 1).map(([, request]) => {
      const { 1: table, 2: id = 0 } = Object.fromEntries(fields(request));
      return held(1, held(1, table), number(2, id), number(3, 0));
    });
    send(held(3, ...decisions));
  }
  if (kind === 6) send(held(5, number(1, inside.length ? inside[0][1] : 0))); // Ping: Pong
  if (kind === 8) stream.end(); // Goodbye
}

let waiting = Buffer.alloc(0);
stream.on("data", (data) => {
  waiting = Buffer.concat([waiting, data]);
  while (waiting.length >= 5 && waiting.length >= 5 + waiting.readUInt32BE(1)) {
    const end = 5 + waiting.readUInt32BE(1);
    receive(waiting.subarray(5, end));
    waiting = waiting.subarray(end);
  }
});
stream.on("trailers", (trailers) => console.error(`grpc-status ${trailers["grpc-status"]}`));
stream.on("close", () => session.close());
for (const part of [stream, session]) part.on("error", (error) => console.error(error.message));

send(held(1, held(1, Buffer.from(process.env.BOWERBIRD_TOKEN)), held(2, varint(1)))); // Hello
