import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { changedProgram } from '../support/changed-program.ts';
import { startHttp } from '../support/mcp/mcp-program.ts';
import { openSession } from '../support/mcp/rpc-http.ts';
import { runProgram } from '../support/program.ts';
import { NEWEST_SCHEMA } from '../support/store/open-store.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const OWNER = 'the-owner-of-this-machine';

describe('adding a connector needs its folder and one registry file', () => {
  const { main, architectureTest, addedLines } = changedProgram(after, {
    folders: ['connectors/pigeon'],
    file: 'connectors/registry.ts',
    edit: (text) => `import { pigeon } from './pigeon/index.ts';\n${text.replace('[] = [', '[] = [pigeon, ')}`,
  });
  const home = homeWith('sources:\n  roof: { kind: pigeon, loft: roof, whistle: fweet }\n');
  let program: Awaited<ReturnType<typeof startHttp>>;

  before(async () => {
    program = await startHttp({ main, home });
  });
  after(async () => void (await program?.stop()));

  test('no other file changes, and the architecture test passes', async () => {
    const { code, stdout } = await runProgram([], { main: architectureTest });

    assert.equal(addedLines.length, 2);
    assert.equal(code, 0, stdout);
  });

  test('its settings are validated, and its secrets are masked', async () => {
    const wrong = homeWith('sources:\n  roof: { kind: pigeon, loft: 5, wistle: x }\n');

    const [shown, refused] = [
      await runProgram(['config', 'show', '--json'], { main, home }),
      await runProgram(['config', 'validate', '--json'], { main, home: wrong }),
    ];

    assert.match(shown.stdout, /"pigeon"/);
    assert.doesNotMatch(shown.stdout + shown.stderr, /fweet/);
    assert.equal(refused.code, 1);
    assert.match(refused.stdout + refused.stderr, /sources\.roof\.loft/);
    assert.match(refused.stdout + refused.stderr, /sources\.roof\.wistle.*did you mean whistle/);
  });

  test('its sources connect, can be read and can send', async () => {
    const sent = await call('POST', '/sources/roof/send', { chat: 'roof', text: 'Fly.' });
    const { sources } = await call('GET', '/sources');
    const { messages } = await call('GET', '/messages?source=roof');

    assert.partialDeepStrictEqual(sent, { status: 'sent', chat: 'Loft roof' });
    assert.partialDeepStrictEqual(sources, [{ id: 'roof', kind: 'pigeon', is_connected: true, can_send: true }]);
    assert.partialDeepStrictEqual(messages, [{ content: 'Fly.', own: true, id: sent.message_id }, { content: 'Coo.' }]);
  });

  const call = (method: string, path: string, body?: object) => request(program.base, method, path, body);
});

describe('adding a capability needs its folder, its SQL and one line in compose.ts', () => {
  const { root, main, architectureTest, addedLines } = changedProgram(after, {
    folders: ['notes', 'storage/sqlite/notes'],
    file: 'compose.ts',
    edit: (text) =>
      `import { notes } from './notes/capability.ts';\n${text.replace('    outbox,\n  ];', '    outbox,\n    notes,\n  ];')}`,
  });
  const home = homeWith(
    `auth: { token: ${OWNER}, tokens: [{ name: filed, token_hash: ${'ab'.repeat(32)}, scopes: ["notes:read"], notebook: office }] }\nnotes: { keep_days: 3 }\n`,
  );
  let program: Awaited<ReturnType<typeof startHttp>>;

  before(async () => {
    program = await startHttp({ main, home });
    await call('POST', '/notes', { text: 'Buy bread.' });
  });
  after(async () => void (await program?.stop()));

  test('no other file changes, and the architecture test passes', async () => {
    const { code, stdout } = await runProgram([], { main: architectureTest });

    assert.equal(addedLines.length, 2);
    assert.equal(code, 0, stdout);
  });

  test('its operations are available as routes, tools and commands, and use its own table', async () => {
    const session = await openSession(program.url, { authorization: `Bearer ${OWNER}` });
    const tool = await session.call('tools/call', { name: 'list_notes', arguments: {} });
    const command = await runProgram(['notes', 'list', '--json'], { main, home });

    const { notes } = await call('GET', '/notes');
    assert.partialDeepStrictEqual(notes, [{ text: 'Buy bread.' }]);
    assert.deepEqual(tool.result?.structuredContent, { notes });
    assert.deepEqual(JSON.parse(command.stdout), { notes });
  });

  test('a token needs the scopes of the capability', async () => {
    const { token } = await call('POST', '/tokens', { name: 'reader', scopes: ['notes:read'] });

    const [read, written] = [
      await call('GET', '/notes', undefined, token),
      await call('POST', '/notes', { text: 'No.' }, token),
    ];

    assert.equal(read.notes.length, 1);
    assert.partialDeepStrictEqual(written, { error: { code: 'FORBIDDEN' } });
  });

  test('a token can carry its grant, whether added by the API or in config.yaml', async () => {
    const confined = await call('POST', '/tokens', { name: 'confined', scopes: ['notes:read'], notebook: 'home' });
    const { tokens } = await call('GET', '/tokens');
    const help = await runProgram(['token', 'add', '--help'], { main, home });

    assert.equal(confined.notebook, 'home');
    assert.deepEqual(
      tokens.map(({ name, notebook }: { name: string; notebook?: string }) => [name, notebook]).slice(0, 2),
      [
        ['filed', 'office'],
        ['confined', 'home'],
      ],
    );
    assert.match(help.stdout, /--notebook/);
  });

  test('it appears in the status, the schema version and doctor', async () => {
    const [status, doctor, plain] = [
      await call('GET', '/status'),
      await runProgram(['doctor', '--json'], { main, home }),
      (await call('GET', '/status')).store.schema,
    ];

    assert.equal(status.notes, 1);
    assert.ok(status.capabilities.includes('notes'));
    assert.equal(plain, NEWEST_SCHEMA + 1);
    assert.match(doctor.stdout, /Notes are kept for 3 days\./);
  });

  test('its section of the configuration is validated', async () => {
    const wrong = homeWith('notes: { keep_days: 0 }\n');

    const refused = await runProgram(['config', 'validate', '--json'], { main, home: wrong });

    assert.equal(refused.code, 1);
    assert.match(refused.stdout + refused.stderr, /notes\.keep_days/);
  });

  test('its retention is part of the housekeeping of the owner of the home', async () => {
    const { composedCapabilities }: typeof import('../../src/compose.ts') = await import(
      join(root, 'src', 'compose.ts')
    );

    const retention = composedCapabilities().flatMap((capability) => capability.retention ?? []);

    assert.ok(retention.some(({ what }) => what === 'notes'));
  });

  const call = (method: string, path: string, body?: object, token = OWNER) =>
    request(program.base, method, path, body, token);
});

test('the architecture test names a capability and a connector that are not registered', async () => {
  const { architectureTest } = changedProgram(after, {
    folders: ['notes', 'storage/sqlite/notes', 'connectors/pigeon'],
    file: 'compose.ts',
    edit: (text) => text,
  });

  const { code, stdout } = await runProgram([], { main: architectureTest });

  assert.equal(code, 1);
  assert.match(stdout, /forgotten: \[\s*\+\s*'notes'/);
  assert.match(stdout, /\+\s*'pigeon'/);
});

// biome-ignore lint/suspicious/noExplicitAny: responses have many shapes, and the tests compare them
async function request(base: string, method: string, path: string, body?: object, token?: string): Promise<any> {
  const answer = await fetch(`${base}/api/v1${path}`, {
    method,
    headers: {
      'content-type': 'application/json',
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return answer.json();
}

function homeWith(config: string): string {
  const home = join(temporaryFolder(after), 'home');
  mkdirSync(home);
  writeFileSync(join(home, 'config.yaml'), config);
  return home;
}
