import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { after, describe, test } from 'node:test';
import { manualClock } from '../../tests/support/manual-clock.ts';
import { assertFails } from '../../tests/support/secrets/open-secrets.ts';
import { temporaryFolder } from '../../tests/support/temporary-folder.ts';
import type { Assistant } from '../domain/assistant.ts';
import { assistantsPort } from './port.ts';

const folder = temporaryFolder(after);
const MAIL = "/opt/node '/opt/my tools/agentmail.js'";
let users = 0;

function setting() {
  users += 1;
  const userHome = join(folder, `user-${users}`);
  const parts = { platform: 'linux' as const, env: {}, userHome, node: '/opt/node', program: '/opt/my tools/cli.js' };
  const port = assistantsPort({ ...parts, clock: manualClock() });
  const connect = (assistant: Assistant) => port.connect({ assistant, name: 'switchboard', only: [], agentmail: true });
  const read = (...path: string[]) => JSON.parse(readFileSync(join(userHome, ...path), 'utf8'));
  const write = (text: string, ...path: string[]) => {
    mkdirSync(dirname(join(userHome, ...path)), { recursive: true });
    writeFileSync(join(userHome, ...path), text);
  };
  return { userHome, port, connect, read, write };
}

describe('agent mail for Claude Code', () => {
  test('is a plugin that is enabled in the settings, beside the MCP entry', async () => {
    const { userHome, connect, read } = setting();

    const { agentmail: { files: also = [] } = {} } = await connect('claude-code');

    const plugins = join(userHome, '.switchboard', 'plugins');
    assert.deepEqual(read('.claude', 'settings.json'), {
      extraKnownMarketplaces: { switchboard: { source: { source: 'directory', path: plugins } } },
      enabledPlugins: { 'agentmail@switchboard': true },
    });
    assert.equal(read('.claude.json').mcpServers.switchboard.command, '/opt/node');
    const { plugins: listed } = read('.switchboard', 'plugins', '.claude-plugin', 'marketplace.json');
    assert.deepEqual([listed[0].name, listed[0].source], ['agentmail', './agentmail']);
    assert.equal(read('.switchboard', 'plugins', 'agentmail', '.claude-plugin', 'plugin.json').name, 'agentmail');
    const files = also.map(({ path }) => path).filter((path) => path.endsWith('.md'));
    assert.deepEqual(files.map((path) => path.slice(plugins.length)).sort(), [
      '/agentmail/commands/receive.md',
      '/agentmail/commands/recipients.md',
      '/agentmail/commands/send.md',
      '/agentmail/commands/status.md',
      '/agentmail/skills/agentmail/SKILL.md',
    ]);
    for (const file of files) assert.match(readFileSync(file, 'utf8'), /^---\n(?:[a-z-]+: .+\n)+---\n\n/);
  });

  test('its hooks report when it is idle, deliver its mail, and wait for more', async () => {
    const { connect, read } = setting();

    await connect('claude-code');

    const { hooks } = read('.switchboard', 'plugins', 'agentmail', 'hooks', 'hooks.json');
    assert.deepEqual(hooks, {
      SessionStart: [
        { hooks: [{ type: 'command', command: `${MAIL} status ready --hook && ${MAIL} onboard --hook` }] },
      ],
      UserPromptSubmit: [{ hooks: [{ type: 'command', command: `${MAIL} status work --prompt --hook` }] }],
      Stop: [
        {
          hooks: [
            { type: 'command', command: `${MAIL} status ready --hook` },
            { type: 'command', command: `${MAIL} wait --hook --timeout 28000`, asyncRewake: true, timeout: 28_800 },
          ],
        },
      ],
      SessionEnd: [{ hooks: [{ type: 'command', command: `${MAIL} status offline --hook` }] }],
    });
  });

  test('a second call changes nothing, and other settings are kept', async () => {
    const { connect, read, write } = setting();
    write('{ "model": "opus", "enabledPlugins": { "other@x": false } }', '.claude', 'settings.json');

    const first = await connect('claude-code');
    const second = await connect('claude-code');

    assert.ok(first.agentmail?.files?.every(({ changed }) => changed));
    assert.deepEqual([second.changed, second.agentmail?.files?.some(({ changed }) => changed)], [false, false]);
    const { model, enabledPlugins } = read('.claude', 'settings.json');
    assert.deepEqual([model, enabledPlugins], ['opus', { 'other@x': false, 'agentmail@switchboard': true }]);
    assert.equal(first.agentmail?.files?.filter(({ backup }) => backup !== undefined).length, 1);
  });
});

describe('agent mail for Codex and Gemini CLI', () => {
  test('Codex gets hooks in a separate file', async () => {
    const { connect, read } = setting();

    const { agentmail } = await connect('codex');

    const { hooks } = read('.codex', 'hooks.json');
    assert.deepEqual(Object.keys(hooks), ['SessionStart', 'UserPromptSubmit', 'Stop']);
    assert.equal(hooks.Stop[0].hooks[0].command, `${MAIL} receive --hook --ready`);
    assert.match(agentmail?.next ?? '', /\/hooks/);
  });

  test('Gemini CLI gets server and hooks in one file, with one backup', async () => {
    const { connect, read, write } = setting();
    write('{"theme": "dark"}', '.gemini', 'settings.json');

    const { path, agentmail, backup = '' } = await connect('gemini');

    const { theme, mcpServers, hooks } = read('.gemini', 'settings.json');
    assert.deepEqual([theme, Object.keys(mcpServers), agentmail?.files], ['dark', ['switchboard'], []]);
    assert.deepEqual(Object.keys(hooks), ['SessionStart', 'BeforeAgent', 'AfterAgent', 'SessionEnd']);
    assert.equal(hooks.AfterAgent[0].hooks[0].command, `${MAIL} receive --hook --ready --decision`);
    assert.equal(readFileSync(backup, 'utf8'), '{"theme": "dark"}');
    assert.ok(path.endsWith('.gemini/settings.json'));
  });

  test('hooks of other programs are kept, and former hooks of agent mail are replaced', async () => {
    const { connect, read, write } = setting();
    const mine = { type: 'command', command: 'say done' };
    const before = { type: 'command', command: 'agentmail status ready && agentmail receive --hook' };
    const older = { type: 'command', command: "/old/node '/old/dist/agentmail.js' receive --hook" };
    const Stop = [{ matcher: '', hooks: [mine, before] }, { hooks: [older] }];
    write(JSON.stringify({ hooks: { Stop, PreToolUse: [{ hooks: [mine] }] } }), '.codex', 'hooks.json');

    await connect('codex');

    const { hooks } = read('.codex', 'hooks.json');
    assert.deepEqual(hooks.PreToolUse, [{ hooks: [mine] }]);
    assert.deepEqual(hooks.Stop[0], { matcher: '', hooks: [mine] });
    assert.equal(hooks.Stop.length, 2);
    assert.equal(hooks.Stop[1].hooks[0].command, `${MAIL} receive --hook --ready`);
  });
});

test('an assistant without hooks is refused before anything is written', async () => {
  const { connect } = setting();

  await assertFails(connect('cursor'), 'VALIDATION_ERROR', /cursor has no hooks/);
});

test('a preview shows every file and writes none', async () => {
  const { port } = setting();

  const { text } = await port.preview({ assistant: 'claude-code', name: 'switchboard', only: [], agentmail: true });

  assert.match(
    text,
    /"mcpServers"[\s\S]*# .*hooks\.json[\s\S]*asyncRewake[\s\S]*# .*settings\.json[\s\S]*enabledPlugins/,
  );
});
