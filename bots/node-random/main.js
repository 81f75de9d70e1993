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
try { pem = ca && fs.readFileSync(ca); } catch (error) { fail(`the certificate authority that BOWERBIRD_CA names cannot be read: ${ca}: ${error}`); }
if (ca && !pem.includes('-----BEGIN CERTIFICATE-----')) fail(`BOWERBIRD_CA=${ca} holds no certificate: the PEM file that came with the token is needed`);

const includeDirs = [path.join(__dirname, '..', '..', 'proto')];
const definition = loader.loadSync('bowerbird/seat/v1/seat.proto', { includeDirs, keepCase: true });
const { SeatService } = grpc.loadPackageDefinition(definition).bowerbird.seat.v1;
const credentials = ca ? grpc.credentials.createSsl(pem) : grpc.credentials.createInsecure();
const remote = ca && { 'grpc.keepalive_time_ms': 10000, 'grpc.keepalive_timeout_ms': 5000, 'grpc.max_reconnect_backoff_ms': 500 };
const client = new SeatService(address, credentials, { 'grpc.max_receive_message_length': -1, ...remote });
const tables = new Map(); // table_id -> { seed, drawn }
let until = ca ? Date.now() + 20000 : 0; // until when another stream may follow; never after a Welcome
let welcomed = false;
function draw(table, n) { // from the table's seed alone, so the bot is reproducible
  return crypto.createHmac('sha256', table.seed).update(`${table.drawn++}`).digest().readUIntBE(0, 6) % n;
}

(function dial() {
  const stream = client.Play();
  stream.on('data', ({ welcome, table_opened, decision_requests, table_closed, ping, error, goodbye }) => {
    if (welcome) [welcomed, until] = [true, 0];
    if (welcome && welcome.awaits_ready) stream.write({ ready: {} });
    if (table_opened) tables.set(table_opened.table_id, { seed: table_opened.seed, drawn: 0 });
    if (decision_requests) {
      const decisions = decision_requests.requests.map(({ table_id, decision_id, legal_actions }) => {
        return { table_id, decision_id, action_index: draw(tables.get(table_id), legal_actions.length) };
      });
      stream.write({ decisions: { decisions } });
    }
    if (table_closed) tables.delete(table_closed.table_id);
    if (ping) stream.write({ pong: { ping_id: ping.ping_id } });
    if (error) console.error(`the referee says: ${error.message}; ${error.hint || ''}`);
    if (error && error.fatal && !error.retryable) process.exit(1); // else the stream ends, like one that breaks
    if (goodbye) stream.removeAllListeners('data').resume().end(); // nothing counts that follows a Goodbye
  });
  stream.once('status', ({ details }) => {
    if (Date.now() < until && !details.includes('certificate')) setTimeout(dial, 250);
    else if (!welcomed) fail(`no referee answers at ${address}: ${details || 'the stream ended'}`);
    else process.exit(); // the end of a stream that once worked is a normal end
  });
  stream.on('error', () => {}); // told by its status
  stream.write({ hello: { token, protocol_versions: [1], capabilities: { max_tables: 256, max_batch: 256, features: ['lone', 'low', 'misdeal', 'show'] } } });
})();

function fail(sentence) {
  console.error(sentence);
  process.exit(1);
}
