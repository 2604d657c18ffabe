import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { changedProgram } from '../support/changed-program.ts';
import { startHttp } from '../support/mcp/mcp-program.ts';
import { runProgram } from '../support/program.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

describe('a connector is a folder and one file that names it', () => {
  const { main, addedLines } = changedProgram(after, {
    folders: ['connectors/pigeon'],
    file: 'connectors/registry.ts',
    edit: (text) => `import { pigeon } from './pigeon/index.ts';\n${text.replace('[irc, ', '[irc, pigeon, ')}`,
  });
  const home = homeWith('sources:\n  roof: { kind: pigeon, loft: roof, whistle: fweet }\n');
  let program: Awaited<ReturnType<typeof startHttp>>;

  before(async () => {
    program = await startHttp({ main, home });
  });
  after(async () => void (await program?.stop()));

  test('nothing else changes', () => {
    assert.equal(addedLines.length, 2);
  });

  test('its settings are checked, and its secrets masked', async () => {
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

  test('its sources are connected, read and sent to', async () => {
    const sent = await call('POST', '/sources/roof/send', { chat: 'roof', text: 'Fly.' });
    const { sources } = await call('GET', '/sources');
    const { messages } = await call('GET', '/messages?source=roof');

    assert.partialDeepStrictEqual(sent, { status: 'sent', chat: 'Loft roof' });
    assert.partialDeepStrictEqual(sources, [{ id: 'roof', kind: 'pigeon', is_connected: true, can_send: true }]);
    assert.partialDeepStrictEqual(messages, [{ content: 'Fly.', own: true, id: sent.message_id }, { content: 'Coo.' }]);
  });

  const call = (method: string, path: string, body?: object) => request(program.base, method, path, body);
});

// biome-ignore lint/suspicious/noExplicitAny: answers have many shapes, and the tests compare them
async function request(base: string, method: string, path: string, body?: object): Promise<any> {
  const answer = await fetch(`${base}/api/v1${path}`, {
    method,
    ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
  });
  return answer.json();
}

function homeWith(config: string): string {
  const home = join(temporaryFolder(after), 'home');
  mkdirSync(home);
  writeFileSync(join(home, 'config.yaml'), config);
  return home;
}
