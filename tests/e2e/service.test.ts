import assert from 'node:assert/strict';
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { programPath, runProgram } from '../support/program.ts';
import { recordingPrograms } from '../support/recording-program.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

describe('switchboard service', () => {
  const user = temporaryFolder(after);
  const home = join(user, 'home');
  const { path: PATH, calls } = recordingPrograms(temporaryFolder(after), ['systemctl', 'launchctl']);
  const service = (...args: string[]) =>
    runProgram(['service', ...args, '--json'], { home, env: { HOME: user, PATH: `${PATH}:${process.env.PATH}` } });

  test('--print shows the definition and changes nothing', async () => {
    const { code, stdout } = await service('install', '--print', '--port', '4000');

    const { path, text } = JSON.parse(stdout);
    assert.equal(code, 0);
    for (const part of [process.execPath, realpathSync(programPath), 'serve', '4000', home])
      assert(text.includes(part));
    assert.deepEqual([existsSync(path), existsSync(home), calls()], [false, false, []]);
  });

  test('is installed and removed', async () => {
    const installed = await service('install');
    const { path, started } = JSON.parse(installed.stdout);
    const definition = readFileSync(path, 'utf8');
    const up = calls();
    const removed = await service('remove');
    const again = await service('remove');

    assert.deepEqual([installed.code, started, removed.code, again.code], [0, true, 0, 1]);
    assert(definition.includes(realpathSync(programPath)));
    assert(path.startsWith(user));
    assert(up.length > 0 && calls().length > 0);
    assert.equal(existsSync(path), false);
    assert.equal(existsSync(home), false);
  });
});
