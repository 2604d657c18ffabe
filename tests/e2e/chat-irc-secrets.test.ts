import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { sourcesOf, writeConfig } from '../support/chat/live-home.ts';
import { readSse } from '../support/http/sse-reader.ts';
import { startErgo } from '../support/irc/ergo.ts';
import { ircUser } from '../support/irc/irc-user.ts';
import { startHomeserver } from '../support/matrix/homeserver.ts';
import { startHttp } from '../support/mcp/mcp-program.ts';
import { openSession } from '../support/mcp/rpc-http.ts';
import { removeHome, until } from '../support/mcp/shim-program.ts';
import { runProgram } from '../support/program.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const SERVER_PASSWORD = 'the-door-of-the-server';
/** Each comes from a different location: the secrets store, the environment, the file. */
const SECRETS = {
  stored: 'the-password-of-alice',
  environment: 'a-password-of-matrix',
  serverPassword: SERVER_PASSWORD,
  wrongPassword: 'not-the-password-of-bob',
  wrongToken: 'not-a-token-of-matrix',
  unreached: 'a-password-of-xmpp',
  hash: 'a-hash-for-telegram',
  signature: 'a-secret-of-the-webhook',
  channelKey: 'the-key-of-a-channel',
};

const COMMANDS = [
  ['chat', 'sources'],
  ['chat', 'sources', '--json'],
  ['chat', 'messages', 'wrong'],
  ['chat', 'send', '--source', 'wrong', '--chat', '#team', 'Hello'],
  ['chat', 'post', '--source', 'hook'],
  ['config', 'show'],
  ['config', 'show', '--json'],
  ['config', 'validate'],
  ['secret', 'list'],
  ['status', '--json'],
  ['doctor'],
  ['outbox', 'list', '--json'],
  ['daemon', 'logs', '-n', '1000'],
];

const folder = temporaryFolder(after);

test('secrets of sources appear in no response, error, event or log', { timeout: 300_000 }, async (context) => {
  const home = join(folder, 'home');
  const ergo = await startErgo({ password: SERVER_PASSWORD });
  context.after(() => ergo.stop());
  const matrix = await startHomeserver();
  context.after(() => matrix.close());
  const carol = matrix.model.addUser('carol', SECRETS.environment, 'Carol');
  const users = [
    await ircUser(ergo.port, { nick: 'alice', serverPassword: SERVER_PASSWORD }),
    await ircUser(ergo.port, { nick: 'eve', serverPassword: SERVER_PASSWORD }),
  ];
  const [alice, eve] = users;
  await alice?.ask(`REGISTER * * ${SECRETS.stored}`);
  await alice?.close();
  await eve?.join('#team');
  await runProgram(['secret', 'set', 'IRC_PASSWORD'], { home, stdin: SECRETS.stored });
  await runProgram(['daemon', 'stop'], { home });
  const irc = {
    kind: 'irc',
    host: '127.0.0.1',
    port: ergo.port,
    tls: false,
    channels: ['#team', `#closed ${SECRETS.channelKey}`],
  };
  writeConfig(home, {
    sources: {
      right: { ...irc, nick: 'alice', password: `\${secret:IRC_PASSWORD}`, server_password: SERVER_PASSWORD },
      wrong: { ...irc, nick: 'bob', password: SECRETS.wrongPassword, server_password: SERVER_PASSWORD },
      closed: { ...irc, nick: 'dora', server_password: SECRETS.wrongPassword },
      work: { kind: 'matrix', homeserver: matrix.url, user: carol, password: `\${env:MATRIX_PASSWORD}` },
      old: { kind: 'matrix', homeserver: matrix.url, access_token: SECRETS.wrongToken },
      unreached: { kind: 'xmpp', jid: 'a@127.0.0.1', password: SECRETS.unreached, service: 'xmpp://127.0.0.1:1' },
      mine: { kind: 'telegram', api_id: 1, api_hash: SECRETS.hash },
      hook: { kind: 'webhook', secret: SECRETS.signature },
    },
    logging: { level: 'trace' },
  });
  const env = { MATRIX_PASSWORD: SECRETS.environment };
  const server = await startHttp({ home, env });
  context.after(async () => {
    await server.stop();
    removeHome(home);
    for (const user of users) await user.close();
  });

  await until('all sources have tried to connect', async () => {
    const { right, wrong, closed, work, old, unreached } = await sourcesOf(home);
    const refused = [wrong, closed, old].every((source) => source?.state === 'rejected');
    return refused && unreached?.state === 'waiting' && right?.is_connected === true && work?.is_connected === true;
  });
  const events = await readSse(context, `${server.base}/api/v1/events`, { 'last-event-id': '0' });
  await eve?.say('#team', 'all is said');
  const told: unknown[] = [];
  do told.push(await events.next());
  while (!JSON.stringify(told.at(-1)).includes('all is said'));
  const session = await openSession(server.url);
  const answers: unknown[] = [];
  for (const source of ['wrong', 'old', 'unreached', 'mine']) {
    answers.push(await session.call('tools/call', { name: 'get_messages', arguments: { source } }));
  }
  answers.push(await session.call('tools/call', { name: 'list_sources', arguments: {} }));
  const printed: unknown[] = [];
  for (const args of COMMANDS) printed.push(await runProgram(args, { home, env, stdin: '{"chat":"x"}' }));
  const { stdout, stderr } = await server.stop();

  const all = JSON.stringify({ told, answers, printed, stdout, stderr, files: filesOf(home) });
  const tokens = matrix.requests.map(({ headers }) => headers.authorization?.replace('Bearer ', '')).filter(Boolean);
  const encoded = Buffer.from(`alice\0alice\0${SECRETS.stored}`).toString('base64');
  assert.ok(tokens.length > 0);
  assert.match(all, /The account or its password was not accepted/);
  for (const secret of [...Object.values(SECRETS), ...tokens, encoded]) {
    assert.ok(!all.includes(String(secret)), `${secret} is exposed`);
  }
});

/** The contents of all files in a home except the configuration. */
function filesOf(home: string): string[] {
  return readdirSync(home, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== 'config.yaml')
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'));
}
