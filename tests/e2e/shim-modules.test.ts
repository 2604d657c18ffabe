import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { removeHome, startShim } from '../support/mcp/shim-program.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** Writes the built-in modules that a process has loaded to a file of its own when it exits. */
const RECORDER = `const { writeFileSync } = require('node:fs');
process.on('exit', () => writeFileSync(process.env.LOADED_MODULES, process.moduleLoadList.join('\\n')));`;

describe('a shim that attaches to a running daemon', () => {
  const folder = temporaryFolder(after);
  const recorder = join(folder, 'recorder.cjs');
  const home = join(folder, 'home');
  const longHome = join(folder, 'h'.repeat(100));
  let shims = 0;

  before(() => writeFileSync(recorder, RECORDER));
  after(() => [home, longHome].forEach(removeHome));

  async function modulesWith(env: Record<string, string>, where = home): Promise<string[]> {
    shims += 1;
    const loaded = join(folder, `loaded-${shims}`);
    const own = { NODE_OPTIONS: `--require ${recorder}`, LOADED_MODULES: loaded };
    const shim = startShim({ home: where, env: { ...env, ...own } });
    await shim.initialize();
    await shim.stop();
    const modules = readFileSync(loaded, 'utf8').split('\n');
    return modules.filter((name) => /^NativeModule (?:crypto|http|https|zlib|internal\/crypto\/)/.test(name));
  }

  test('loads no cryptography, whatever variables are set and however long the path of its home is', async () => {
    // The first of each home starts the daemon.
    await modulesWith({});
    await modulesWith({}, longHome);

    const loaded = {
      none: await modulesWith({}),
      configuring: await modulesWith({ SWITCHBOARD_LOG_LEVEL: 'warn', SWITCHBOARD_CHAT__BUDGET: '1' }),
      another: await modulesWith({ ANTHROPIC_BASE_URL: 'http://127.0.0.1:9' }),
      long: await modulesWith({}, longHome),
    };

    assert.deepEqual(loaded, { none: [], configuring: [], another: [], long: [] });
  });
});
