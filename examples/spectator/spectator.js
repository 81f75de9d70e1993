// A spectator in Node: prints the results of a run as they arrive, and shows one table after another card by card.
// The contract is ../../proto/bowerbird/watch/v1/watch.proto.   node spectator.js [SOCKET]
'use strict';
const fs = require('fs');
const os = require('os');
const path = require('path');
const grpc = require('@grpc/grpc-js');
const loader = require('@grpc/proto-loader');

const includeDirs = [process.env.BOWERBIRD_PROTO || path.join(__dirname, '..', '..', 'proto')];
const definition = loader.loadSync('bowerbird/watch/v1/watch.proto', { includeDirs, keepCase: true, oneofs: true, defaults: true });
const { WatchService } = grpc.loadPackageDefinition(definition).bowerbird.watch.v1;

function sockets() { // the sockets of this user's runs
  const runtime = process.env.XDG_RUNTIME_DIR;
  const folder = runtime ? path.join(runtime, 'bowerbird') : path.join(os.tmpdir(), `bowerbird-${process.getuid()}`);
  if (!fs.existsSync(folder)) return [];
  return fs.readdirSync(folder).filter((name) => name.endsWith('.sock')).map((name) => path.join(folder, name));
}

const socket = process.argv[2] || sockets()[0];
if (!socket) {
  console.error('no run can be watched now; start one with `bowerbird tournament FILE`');
  process.exit(1);
}
const client = new WatchService(`unix:${socket}`, grpc.credentials.createInsecure());
const ask = (method, request) => new Promise((done, failed) => {
  client[method](request, { deadline: Date.now() + 10000 }, (error, answer) => (error ? failed(error) : done(answer)));
});

function followRun() { // resolves at the end of the run
  return new Promise((done) => {
    const stream = client.WatchRun({});
    stream.on('data', ({ update, run, set_finished: set, bot_failed: fault, games_opened: opened, lost, run_ended: end }) => {
      if (update === 'run') console.log(`${run.name}: ${run.bots.map((bot) => bot.name).join(', ')}; ${run.sets_stored} of ${run.sets_total} deal sets`);
      if (update === 'set_finished') console.log(`${set.set.lineup}, deal set ${set.set.number}: ${set.games.map((game) => game.scores.join(' ')).join(' | ')}`);
      if (update === 'bot_failed') console.log(`${fault.bot}: ${fault.kind} in ${fault.game}`);
      if (update === 'games_opened') opened.sets.forEach(showGame);
      if (update === 'lost') console.log(`(${lost.updates} updates lost)`);
      if (update === 'run_ended') console.log(end.is_complete ? 'the run is complete' : 'the run was interrupted');
    });
    stream.on('error', (error) => done(error.details));
    stream.on('end', () => done(''));
  });
}

let shown = 0;
async function showGame({ entry, lineup, number }) { // the record of the first game whose cards will not be dealt again
  if (shown++) return;
  const [run] = (await ask('ListRuns', {})).runs;
  const { record } = await ask('GetGame', { game: `${run.id}/${entry}/${lineup}/${number}/0` });
  console.log(`all hands of deal set ${number} can be seen: a record of ${record.split('\n').length} lines`);
}

function followTable(game) { // resolves at the end of the table, or when it cannot be watched
  return new Promise((done) => {
    const stream = client.WatchTable({ game });
    stream.on('data', ({ update, frame, lost, ended }) => {
      if (update === 'frame') console.log(`  ${frame.said}${frame.trick.length ? `   [${frame.trick.map((played) => played.card).join(' ')}]` : ''}`);
      if (update === 'lost') console.log(`  (${lost.updates} steps lost)`);
      if (update === 'ended') console.log(`  table closed: ${ended.ended}`);
    });
    stream.on('error', (error) => done(error.details));
    stream.on('end', () => done(''));
  });
}

(async () => {
  const over = followRun().then((why) => { if (why) console.log(why); process.exit(0); });
  for (;;) {
    const { tables } = await ask('ListTables', {}).catch(() => over);
    if (tables.length) {
      console.log(`watching ${tables[0].game}`);
      const why = await followTable(tables[0].game);
      if (why) console.log(`  ${why}`);
    }
    await new Promise((later) => { setTimeout(later, 500); });
  }
})();
