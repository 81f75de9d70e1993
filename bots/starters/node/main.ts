// The smallest bot for Node: it plays at random. The contract is proto/bowerbird/seat/v1/seat.proto.
import { createHash, X509Certificate } from 'crypto';
import { readFileSync } from 'fs';
import { join } from 'path';
import * as grpc from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';
import { REMOTE, Session } from './session';
import type { PlayResponse__Output } from './target/types/bowerbird/seat/v1/PlayResponse';
import type { ProtoGrpcType } from './target/types/seat';

const { BOWERBIRD_ADDRESS: address, BOWERBIRD_TOKEN: token, BOWERBIRD_CA: authority } = process.env;
const offered = process.env.BOWERBIRD_PROTOCOLS ?? '1';
if (!address) fail('BOWERBIRD_ADDRESS is not set: this program is started by bowerbird; try `bowerbird match ...`');
if (!offered.split(',').includes('1')) fail(`the referee speaks protocol ${offered}; this bot speaks 1`);

const loaded = loadSync('bowerbird/seat/v1/seat.proto', { includeDirs: [join(__dirname, 'proto')], keepCase: true, defaults: true });
const { SeatService } = (grpc.loadPackageDefinition(loaded) as unknown as ProtoGrpcType).bowerbird.seat.v1;
const security = authority ? grpc.credentials.createSsl(trusted(authority)) : grpc.credentials.createInsecure();
const options = { 'grpc.max_receive_message_length': -1, ...(authority && REMOTE) };
const hello = { token, protocol_versions: [1], capabilities: { max_tables: 256, max_batch: 256, resume: true, features: ["lone", "low", "misdeal", "show"] } };
const seeds = new Map<string, Buffer>(); // by table
const referee = new Session(() => new SeatService(address!, security, options), hello, !!authority, hear, leave);

/** Draws from the table's seed and the decision's number alone, so the bot is reproducible. */
function draw(table: string, decision: number, count: number): number {
  return createHash('sha256').update(seeds.get(table)!).update(String(decision)).digest().readUIntBE(0, 6) % count;
}

function hear(said: PlayResponse__Output): void {
  if (said.welcome?.awaits_ready) referee.say({ ready: {} });
  else if (said.table_opened) seeds.set(said.table_opened.table_id, said.table_opened.seed);
  else if (said.table_closed) seeds.delete(said.table_closed.table_id);
  else if (said.decision_requests) {
    const decisions = said.decision_requests.requests.map(({ table_id, decision_id, legal_actions }) => ({
      table_id,
      decision_id,
      action_index: draw(table_id, decision_id, legal_actions.length),
    }));
    referee.say({ decisions: { decisions } });
  } else if (said.ping) referee.say({ pong: said.ping });
  else if (said.error) {
    console.error(`the referee says: ${said.error.message}; ${said.error.hint}`);
    if (said.error.fatal && !said.error.retryable) process.exit(1);
  } else if (said.goodbye) referee.end();
}

function leave(error?: Error): void {
  if (!referee.isWelcomed) fail(`no referee answers at ${address}: ${error?.message ?? 'the stream ended'}`);
  process.exit(); // the end of a stream that once worked is a normal end
}

function trusted(authority: string): Buffer {
  let pem = Buffer.alloc(0);
  try {
    pem = readFileSync(authority);
  } catch (error) {
    fail(`the certificate authority that BOWERBIRD_CA names cannot be read: ${authority}: ${error}`);
  }
  try {
    new X509Certificate(pem); // throws if `pem` is no certificate
  } catch {
    fail(`BOWERBIRD_CA=${authority} holds no certificate: the PEM file that came with the token is needed`);
  }
  return pem;
}

function fail(sentence: string): never {
  console.error(sentence);
  process.exit(1);
}
