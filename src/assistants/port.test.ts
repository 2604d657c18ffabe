import assert from 'node:assert/strict';
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { after, describe, test } from 'node:test';
import { manualClock } from '../../tests/support/manual-clock.ts';
import { assertFails } from '../../tests/support/secrets/open-secrets.ts';
import { temporaryFolder } from '../../tests/support/temporary-folder.ts';
import { ASSISTANTS, type Assistant } from '../domain/assistant.ts';
import { changeFile } from './change-file.ts';
import { assistantsPort } from './port.ts';

const folder = temporaryFolder(after);
let users = 0;

/** A temporary user home, and the port that writes there. */
function setting({ home }: { home?: string } = {}) {
  users += 1;
  const userHome = join(folder, `user-${users}`);
  mkdirSync(userHome);
  const parts = { platform: 'linux' as const, env: {}, userHome, node: '/opt/node', program: '/opt/cli.js' };
  const port = assistantsPort({ ...parts, clock: manualClock(), ...(home === undefined ? {} : { home }) });
  const connect = (assistant: Assistant, only: string[] = []) =>
    port.connect({ assistant, name: 'switchboard', only, agentmail: false });
  return { userHome, port, connect };
}

describe('connecting an assistant', () => {
  test('each gets its own kind of entry, with absolute paths and the home', async () => {
    const { connect } = setting({ home: '/srv/home' });
    const written: Partial<Record<Assistant, string>> = {};

    for (const assistant of ASSISTANTS) {
      const { path } = await connect(assistant, ['chat']);
      written[assistant] = readFileSync(path, 'utf8');
    }

    const entry = { command: '/opt/node', args: ['/opt/cli.js', 'mcp', '--only', 'chat'] };
    const env = { SWITCHBOARD_HOME: '/srv/home' };
    const stdio = { type: 'stdio', ...entry, env };
    assert.deepEqual(JSON.parse(written['claude-code'] ?? ''), { mcpServers: { switchboard: stdio } });
    assert.deepEqual(JSON.parse(written.vscode ?? ''), { servers: { switchboard: stdio } });
    for (const assistant of ['claude-desktop', 'cursor', 'gemini'] as const) {
      assert.deepEqual(JSON.parse(written[assistant] ?? ''), { mcpServers: { switchboard: { ...entry, env } } });
    }
    assert.match(written.codex ?? '', /^\[mcp_servers\.switchboard\]\ncommand = "\/opt\/node"\n/);
  });

  test('a preview is the entry for an empty file, and writes nothing', async () => {
    const { connect, port, userHome } = setting();
    const connection = { name: 'switchboard', only: [], agentmail: false };

    const previews = await Promise.all(ASSISTANTS.map((assistant) => port.preview({ assistant, ...connection })));

    assert.deepEqual(readdirSync(userHome), []);
    for (const [index, assistant] of ASSISTANTS.entries()) {
      const { path } = await connect(assistant);
      assert.deepEqual(previews[index], { path, text: readFileSync(path, 'utf8').trimEnd() });
    }
  });

  test('other content is kept, the old file is backed up, and a second call changes nothing', async () => {
    const { connect, userHome } = setting();
    const file = join(userHome, '.claude.json');
    const before = '{"numStartups": 12, "mcpServers": {"github": {"command": "gh"}}}';
    writeFileSync(file, before, { mode: 0o600 });

    const first = await connect('claude-code');
    const second = await connect('claude-code');

    const written = JSON.parse(readFileSync(file, 'utf8'));
    assert.deepEqual([written.numStartups, written.mcpServers.github], [12, { command: 'gh' }]);
    assert.equal(readFileSync(first.backup ?? '', 'utf8'), before);
    assert.deepEqual(second, { path: file, changed: false, notes: [] });
    assert.equal(statSync(file).mode & 0o777, 0o600);
    assert.deepEqual(readdirSync(userHome).sort(), [basename(file), basename(first.backup ?? '')]);
  });

  test('keys that the user added to our entry are kept, and an entry of another kind is replaced', async () => {
    const { connect, userHome } = setting();
    const file = join(userHome, '.cursor', 'mcp.json');
    mkdirSync(dirname(file));
    const ours = { command: 'old', args: [], env: { TZ: 'UTC', SWITCHBOARD_HOME: '/old' }, autoApprove: ['x'] };

    const results = [];
    for (const switchboard of [ours, { url: 'http://x', headers: {} }]) {
      writeFileSync(file, JSON.stringify({ mcpServers: { switchboard } }));
      await connect('cursor');
      results.push(JSON.parse(readFileSync(file, 'utf8')).mcpServers.switchboard);
    }

    const entry = { command: '/opt/node', args: ['/opt/cli.js', 'mcp'] };
    assert.deepEqual(results, [{ ...entry, env: { TZ: 'UTC' }, autoApprove: ['x'] }, entry]);
  });

  test('a link is kept, and its target is changed', async () => {
    const { connect, userHome } = setting();
    const target = join(userHome, 'dotfiles.json');
    writeFileSync(target, '{}');
    symlinkSync(target, join(userHome, '.claude.json'));

    await connect('claude-code');

    assert(lstatSync(join(userHome, '.claude.json')).isSymbolicLink());
    assert.match(readFileSync(target, 'utf8'), /switchboard/);
  });

  test('a file that cannot be parsed is left unchanged, and the line is named', async () => {
    const { connect, userHome } = setting();
    const json = join(userHome, '.claude.json');
    const toml = join(userHome, '.codex', 'config.toml');
    mkdirSync(dirname(toml));
    const broken = { [json]: '{\n"a" 1}', [toml]: 'a = 1\nb' };
    for (const [file, text] of Object.entries(broken)) writeFileSync(file, text);

    await assertFails(connect('claude-code'), 'CONFLICT', /is not JSON at line 2; it was left as it is/);
    await assertFails(connect('codex'), 'CONFLICT', /is not TOML at line 2; it was left as it is/);
    writeFileSync(json, '{"mcpServers": []}');
    await assertFails(
      connect('claude-code'),
      'CONFLICT',
      /^mcpServers in .*\.claude\.json is not as it is changed here/,
    );
    writeFileSync(json, Buffer.from([0xff, 0xfe, 0x00]));
    await assertFails(connect('claude-code'), 'CONFLICT', /is no text/);

    assert.deepEqual(readFileSync(json), Buffer.from([0xff, 0xfe, 0x00]));
    assert.equal(readFileSync(toml, 'utf8'), broken[toml]);
    assert.deepEqual(readdirSync(userHome).sort(), ['.claude.json', '.codex']);
  });

  test('a folder at the path of the file is a clear error', async () => {
    const { connect, userHome } = setting();
    mkdirSync(join(userHome, '.claude.json'));

    await assertFails(connect('claude-code'), 'SERVICE_UNAVAILABLE', /\.claude\.json cannot be changed/);
  });
});

describe('changing a file of another program', () => {
  test('keeps what that program writes concurrently', async () => {
    const file = join(folder, 'busy.txt');
    writeFileSync(file, 'a');
    let calls = 0;

    const result = await changeFile(file, 0, (text) => {
      calls += 1;
      if (calls === 1) writeFileSync(file, 'ab');
      return `${text}!`;
    });

    assert.equal(readFileSync(file, 'utf8'), 'ab!');
    assert.equal(readFileSync(result.backup ?? '', 'utf8'), 'ab');
  });

  test('gives up on a file that changes constantly', async () => {
    const file = join(folder, 'restless.txt');
    writeFileSync(file, '0');

    const change = changeFile(file, 0, (text) => {
      writeFileSync(file, String(Number(text) + 1));
      return 'ours';
    });

    await assertFails(change, 'BUSY', /being changed by another program/);
    assert.notEqual(readFileSync(file, 'utf8'), 'ours');
  });

  test('keeps the mode', async () => {
    const file = join(folder, 'mode.txt');
    writeFileSync(file, 'a');
    chmodSync(file, 0o664);

    await changeFile(file, 0, () => 'b');

    assert.equal(statSync(file).mode & 0o777, 0o664);
  });
});
