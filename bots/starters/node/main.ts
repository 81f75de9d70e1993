// A bot that plays at random: the least that a bot for Node needs. The contract is proto/harness/v1/seat.proto.
import { createHash } from 'crypto';
import { existsSync, readFileSync } from 'fs';
import { join } from 'path';
import * as grpc from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';
import type { PlayResponse__Output } from './target/types/harness/v1/PlayResponse';
import type { ProtoGrpcType } from './target/types/seat';

const { BOWERBIRD_ADDRESS: address, BOWERBIRD_TOKEN: token, BOWERBIRD_CA: authority } = process.env;
const offered = process.env.BOWERBIRD_PROTOCOLS ?? '1';
if (!address) fail('BOWERBIRD_ADDRESS is not set: this program is started by bowerbird; try `bowerbird match ...`');
if (!offered.split(',').includes('1')) fail(`the referee speaks protocol ${offered}; this bot speaks 1`);
if (authority && !existsSync(authority)) fail(`the certificate of BOWERBIRD_CA cannot be read: ${authority}`);

const loaded = loadSync('harness/v1/seat.proto', { includeDirs: [join(__dirname, 'proto')], keepCase: true, defaults: true });
const { SeatService } = (grpc.loadPackageDefinition(loaded) as unknown as ProtoGrpcType).harness.v1;
const security = authority ? grpc.credentials.createSsl(readFileSync(authority)) : grpc.credentials.createInsecure();
const client = new SeatService(address, security, { 'grpc.max_receive_message_length': -1 });
const stream = client.Play();
const seeds = new Map<string, Buffer>(); // by table, bytes from its seed alone: so the bot is reproducible
let heard = false;

function draw(table: string, count: number): number {
  const next = createHash('sha256').update(seeds.get(table)!).digest();
  seeds.set(table, next);
  return next.readUIntBE(0, 6) % count;
}

stream.on('data', (said: PlayResponse__Output) => {
  heard = true;
  if (said.welcome) stream.write({ ready: {} });
  else if (said.table_opened) seeds.set(said.table_opened.table_id, said.table_opened.seed);
  else if (said.table_closed) seeds.delete(said.table_closed.table_id);
  else if (said.decision_requests) {
    const decisions = said.decision_requests.requests.map(({ table_id, decision_id, legal_actions }) => ({
      table_id,
      decision_id,
      action_index: draw(table_id, legal_actions.length),
    }));
    stream.write({ decisions: { decisions } });
  } else if (said.ping) stream.write({ pong: said.ping });
  else if (said.error) {
    console.error(`the referee says: ${said.error.message}; ${said.error.hint}`);
    if (said.error.fatal) process.exitCode = 1;
  } else if (said.goodbye) stream.end();
});
stream.on('end', () => client.close());
stream.on('error', (error) => (heard ? process.exit() : fail(`no referee answers at ${address}: ${error.message}`)));
stream.write({ hello: { token, protocol_versions: [1], capabilities: { max_tables: 256, max_batch: 256 } } });

function fail(sentence: string): never {
  console.error(sentence);
  process.exit(1);
}
