import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { after, describe, test } from 'node:test';
import { programPath, runProgram } from '../support/program.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const program = realpathSync(programPath);

describe('switchboard connect', () => {
  const user = temporaryFolder(after);
  const home = join(user, 'switchboard-home');
  const connect = (args: string[], options: { home?: string } = { home }) =>
    runProgram(['connect', ...args], { ...options, env: { HOME: user } });

  test('--print shows the entry and writes nothing, and creates no home', async () => {
    const json = await connect(['claude-code', '--print']);
    const toml = await connect(['codex', '--print', '--only', 'chat,agentmail', '--name', 'board']);

    assert.deepEqual(JSON.parse(json.stdout).mcpServers.switchboard, {
      type: 'stdio',
      command: process.execPath,
      args: [program, 'mcp'],
      env: { SWITCHBOARD_HOME: home },
    });
    assert.match(toml.stdout, /^\[mcp_servers\.board\]\n.*\nargs = \[.*"mcp", "--only", "chat,agentmail"\]\n/);
    assert.deepEqual([json.code, toml.code, json.stderr + toml.stderr], [0, 0, '']);
    assert.deepEqual([existsSync(home), existsSync(join(user, '.claude.json'))], [false, false]);
  });

  test('the default home is neither named in the entry nor created', async () => {
    const { code, stdout, stderr } = await connect(['cursor', '--json'], {});
    const { path, changed } = JSON.parse(stdout);
    const { switchboard } = JSON.parse(readFileSync(path, 'utf8')).mcpServers;

    assert.deepEqual([code, stderr, changed, path], [0, '', true, join(user, '.cursor', 'mcp.json')]);
    assert.deepEqual(switchboard, { command: process.execPath, args: [program, 'mcp'] });
    assert.equal(existsSync(join(user, '.switchboard')), false);
  });

  test('comments in the file of VS Code are preserved, and a second run reports that it is connected', async () => {
    const folder = join(user, 'Code', 'User');
    mkdirSync(folder, { recursive: true });
    const file = join(folder, 'mcp.json');
    writeFileSync(file, '{\n  // mine\n  "servers": {},\n}\n');
    const vscode = () => runProgram(['connect', 'vscode'], { home, env: { HOME: user, XDG_CONFIG_HOME: user } });

    const first = await vscode();
    const second = await vscode();

    assert.match(readFileSync(file, 'utf8'), /^\{\n {2}\/\/ mine\n {2}"servers": \{\n {4}"switchboard": \{/);
    assert.match(first.stdout, /^Connected vscode in .*mcp\.json\. What it was is in .*backup/);
    assert.match(second.stdout, /^vscode is connected already/);
  });

  test('the agent mail hooks run the program from the same installation', async () => {
    const { code, stdout, stderr } = await connect(['gemini', '--agentmail']);
    const again = await connect(['gemini', '--agentmail']);

    const { hooks, mcpServers } = JSON.parse(readFileSync(join(user, '.gemini', 'settings.json'), 'utf8'));
    const mail = join(dirname(program), 'agentmail.js');
    assert.deepEqual([code, stderr, Object.keys(mcpServers)], [0, '', ['switchboard']]);
    assert.equal(hooks.BeforeAgent[0].hooks[0].command, `${process.execPath} ${mail} status work --prompt --hook`);
    assert.equal(existsSync(mail), true);
    assert.match(stdout, /^Connected gemini in /);
    assert.match(again.stdout, /^gemini is connected already/);
  });

  test('a malformed file is left unchanged, with exit code 1', async () => {
    const file = join(user, '.claude.json');
    writeFileSync(file, '{"a": ');

    const { code, stderr } = await connect(['claude-code', '--json']);

    assert.equal(code, 1);
    assert.equal(JSON.parse(stderr).error.code, 'CONFLICT');
    assert.equal(readFileSync(file, 'utf8'), '{"a": ');
  });

  test('--remove undoes everything that connect has written', async () => {
    const other = temporaryFolder(after);
    const run = (...args: string[]) => runProgram(['connect', ...args], { env: { HOME: other } });
    const names = ['copilot', 'opencode', 'qwen', 'cline', 'continue', 'droid', 'zed', 'windsurf', 'codex'];
    for (const name of names) await run(name);
    const written = readdirSync(other);

    const removed = [];
    for (const name of names) removed.push(await run(name, '--remove'));

    assert.equal(written.length > 5, true);
    assert.deepEqual(new Set(removed.map(({ code }) => code)), new Set([0]));
    assert.match(removed[0]?.stdout ?? '', /^Disconnected copilot in /);
    assert.deepEqual(readdirSync(other), []);
    assert.match((await run('zed', '--remove')).stdout, /^zed is not connected/);
  });

  test('without a name, and without a terminal, it lists the assistants that are installed', async () => {
    const other = temporaryFolder(after);
    for (const folder of ['.codex', '.qwen']) mkdirSync(join(other, folder));
    await runProgram(['connect', 'qwen'], { env: { HOME: other } });

    const { code, stdout } = await runProgram(['connect', '--json'], { env: { HOME: other, PATH: other } });

    const found = JSON.parse(stdout).found as { assistant: string; connected: boolean }[];
    assert.equal(code, 0);
    assert.deepEqual(
      found.map(({ assistant, connected }) => [assistant, connected]),
      [
        ['codex', false],
        ['qwen', true],
      ],
    );
  });

  test('an unknown assistant is a usage error', async () => {
    const { code, stderr } = await connect(['emacs']);

    assert.equal(code, 2);
    assert.match(stderr, /claude-code/);
  });
});
