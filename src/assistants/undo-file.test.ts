import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { after, describe, test } from 'node:test';
import { manualClock } from '../../tests/support/manual-clock.ts';
import { assertFails } from '../../tests/support/secrets/open-secrets.ts';
import { temporaryFolder } from '../../tests/support/temporary-folder.ts';
import { ASSISTANTS, type Assistant } from '../domain/assistant.ts';
import { configurationFile } from './places.ts';
import { assistantsPort } from './port.ts';

const folder = temporaryFolder(after);
let users = 0;

function setting(assistant: Assistant, text?: string) {
  users += 1;
  const around = { platform: 'linux' as const, env: {}, userHome: join(folder, `user-${users}`) };
  const file = configurationFile(assistant, around);
  mkdirSync(dirname(file), { recursive: true });
  if (text !== undefined) writeFileSync(file, text);
  const clock = manualClock();
  const port = assistantsPort({ ...around, node: '/opt/node', program: '/opt/cli.js', clock });
  const entry = { assistant, name: 'switchboard', only: [], agentmail: false };
  return { file, port, entry, clock, userHome: around.userHome };
}

/** Files that people have, in the language of the assistant. */
function filesOf(assistant: Assistant): readonly string[] {
  if (assistant === 'codex') {
    return ['', 'model = "x"', '# mine\n[mcp_servers.other]\ncommand = "y"\n\n\n[features]\na = true\n', 'a = 1\r\n'];
  }
  if (assistant === 'continue') return ['', 'name: a\nversion: 1.0.0\nschema: v1', 'mcpServers: []\nname: b # c\n'];
  return [
    '{}',
    '{"a":1}',
    '{\n\t// mine\n\t"mcpServers": {},\n\t"servers": { "other": {} /* kept */ },\n}',
    '{"mcpServers": {"other": {"command": "x"}}, "mcp": {}, "context_servers": {}} // end\r\n',
  ];
}

describe('undoing what was written to the file of an assistant', () => {
  for (const assistant of ASSISTANTS) {
    test(`${assistant}: the file is what it was, to the byte, and its backup is gone`, async () => {
      for (const text of filesOf(assistant)) {
        const { port, entry, file, clock } = setting(assistant, text);
        await port.connect(entry);
        clock.advance(1_000);
        await port.connect({ ...entry, only: ['chat'] });

        const { changed } = await port.remove(entry);

        assert.deepEqual([changed, readFileSync(file, 'utf8')], [true, text]);
        assert.deepEqual(readdirSync(dirname(file)), [basename(file)]);
      }
    });

    test(`${assistant}: a file that was created is deleted, and one that has no entry is left alone`, async () => {
      const { port, entry, file } = setting(assistant);
      await port.connect(entry);

      const first = await port.remove(entry);
      const second = await port.remove(entry);

      assert.deepEqual([first.changed, second.changed, existsSync(file)], [true, false, false]);
    });
  }

  test('what was changed in between is kept, and a backup is made', async () => {
    const { port, entry, file } = setting('gemini', '{\n  // theme\n  "theme": "dark"\n}\n');
    await port.connect(entry);
    writeFileSync(file, readFileSync(file, 'utf8').replace('"dark"', '"light"'));

    const { changed, backup = '' } = await port.remove(entry);

    assert.equal(changed, true);
    assert.equal(readFileSync(file, 'utf8'), '{\n  // theme\n  "theme": "light"\n}\n');
    assert.match(readFileSync(backup, 'utf8'), /switchboard/);
  });

  test('other entries in a section that we have created stay', async () => {
    const { port, entry, file } = setting('cursor', '{}');
    await port.connect(entry);
    const { mcpServers } = JSON.parse(readFileSync(file, 'utf8'));
    writeFileSync(file, JSON.stringify({ mcpServers: { ...mcpServers, mine: { command: 'x' } } }));

    await port.remove(entry);

    assert.deepEqual(JSON.parse(readFileSync(file, 'utf8')), { mcpServers: { mine: { command: 'x' } } });
  });

  test('hooks of agent mail go too, and other hooks stay', async () => {
    const others = '{"hooks": {"AfterAgent": [{"hooks": [{"type": "command", "command": "mine"}]}]}, "a": 1}';
    for (const assistant of ['gemini', 'codex', 'claude-code'] as const) {
      const { port, entry, file, userHome } = setting(assistant, assistant === 'gemini' ? others : undefined);
      await port.connect({ ...entry, agentmail: true });

      await port.remove({ ...entry, agentmail: true });

      assert.equal(
        existsSync(file) ? readFileSync(file, 'utf8') : undefined,
        assistant === 'gemini' ? others : undefined,
      );
      const left = readdirSync(userHome, { recursive: true, withFileTypes: true }).filter((each) => each.isFile());
      assert.equal(left.length, assistant === 'gemini' ? 1 : 0, left.map(({ name }) => name).join());
    }
  });

  test('hooks that were changed since are taken out one by one', async () => {
    const { port, entry, file } = setting('gemini', '{"hooks": {"AfterAgent": []}}');
    await port.connect({ ...entry, agentmail: true });
    const written = JSON.parse(readFileSync(file, 'utf8'));
    written.hooks.AfterAgent.unshift({ hooks: [{ type: 'command', command: 'mine' }] });
    writeFileSync(file, JSON.stringify(written));

    await port.remove({ ...entry, agentmail: true });

    assert.deepEqual(JSON.parse(readFileSync(file, 'utf8')), {
      hooks: { AfterAgent: [{ hooks: [{ type: 'command', command: 'mine' }] }] },
    });
  });

  test('a file that cannot be parsed is left unchanged', async () => {
    const { port, entry, file } = setting('zed', '{"context_servers": ');

    await assertFails(port.remove(entry), 'CONFLICT', /is not JSON at line 1/);

    assert.equal(readFileSync(file, 'utf8'), '{"context_servers": ');
  });
});
