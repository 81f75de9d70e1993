// The smallest bot for Node: it plays at random. The contract is ../../proto/bowerbird/seat/v1/seat.proto.
'use strict';
const crypto = require('crypto');
const fs = require('fs');
const path = require('path');
const grpc = require('@grpc/grpc-js');
const loader = require('@grpc/proto-loader');

const { BOWERBIRD_ADDRESS: address, BOWERBIRD_TOKEN: token, BOWERBIRD_CA: ca } = process.env;
const protocols = (process.env.BOWERBIRD_PROTOCOLS || '1').split(',');
if (!address) fail('BOWERBIRD_ADDRESS is not set: this program is started by bowerbird; try `bowerbird match ...`');
if (!protocols.includes('1')) fail(`the referee speaks protocol ${protocols}; this bot speaks 1`);
let pem;
try { pem = ca && fs.readFileSync(ca); } catch (error) { fail(`the certificate authority of BOWERBIRD_CA cannot be read: ${ca}: ${error}`); }
if (ca && !pem.includes('-----BEGIN CERTIFICATE-----')) fail(`BOWERBIRD_CA=${ca} holds no certificate: the PEM file that came with the token is needed`);

const includeDirs = [path.join(__dirname, '..', '..', 'proto')];
const definition = loader.loadSync('bowerbird/seat/v1/seat.proto', { includeDirs, keepCase: true });
const { SeatService } = grpc.loadPackageDefinition(definition).bowerbird.seat.v1;
const credentials = ca ? grpc.credentials.createSsl(pem) : grpc.credentials.createInsecure();
const client = new SeatService(address, credentials, { 'grpc.max_receive_message_length': -1 });
const stream = client.Play();
const tables = new Map(); // table_id -> { seed, drawn }
let heard = false;

function draw(table, n) { // from the table's seed alone, so the bot is reproducible
  return crypto.createHmac('sha256', table.seed).update(`${table.drawn++}`).digest().readUIntBE(0, 6) % n;
}

stream.on('data', (message) => {
  heard = true;
  if (message.welcome) {
    if (message.welcome.protocol_version !== 1) fail(`the referee chose protocol ${message.welcome.protocol_version}`);
    stream.write({ ready: {} });
  } else if (message.table_opened) tables.set(message.table_opened.table_id, { seed: message.table_opened.seed, drawn: 0 });
  else if (message.decision_requests) {
    const decisions = message.decision_requests.requests.map(({ table_id, decision_id, legal_actions }) => ({
      table_id,
      decision_id,
      action_index: draw(tables.get(table_id), legal_actions.length),
    }));
    stream.write({ decisions: { decisions } });
  } else if (message.table_closed) tables.delete(message.table_closed.table_id);
  else if (message.ping) stream.write({ pong: { ping_id: message.ping.ping_id } });
  else if (message.error) {
    console.error(`the referee says: ${message.error.message}; ${message.error.hint || ''}`);
    if (message.error.fatal) process.exitCode = 1;
  } else if (message.goodbye) {
    stream.end();
    setTimeout(() => process.exit(), 2000).unref(); // in case the referee does not close its side
  }
});
stream.on('end', () => client.close());
stream.on('error', (error) => (heard ? process.exit() : fail(`no referee answers at ${address}: ${error.message}`)));
stream.write({ hello: { token, protocol_versions: [1], capabilities: { max_tables: 256, max_batch: 256 } } });

function fail(sentence) {
  console.error(sentence);
  process.exit(1);
}
