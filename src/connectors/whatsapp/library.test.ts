import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { temporaryFolder } from '../../../tests/support/temporary-folder.ts';
import { loadLibrary } from './library.ts';

describe('the package baileys', () => {
  const elsewhere = join(temporaryFolder(after), 'program.js');

  function install(home: string, version: string): void {
    const folder = join(home, 'packages', 'node_modules', 'baileys');
    mkdirSync(join(folder, 'lib'), { recursive: true });
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ version, type: 'module', main: 'lib/index.js' }));
    writeFileSync(join(folder, 'lib', 'index.js'), `export const version = '${version}';`);
  }

  test('CHAT-32 if it is missing, the source is rejected with the command that installs it', async () => {
    const home = temporaryFolder(after);

    await assert.rejects(
      loadLibrary({ env: { SWITCHBOARD_HOME: home }, program: elsewhere }),
      ({ outcome }: { outcome: { kind: string; reason: string } }) =>
        outcome.kind === 'rejected' &&
        outcome.reason.endsWith(`npm install --ignore-scripts --prefix ${join(home, 'packages')} baileys@7.0.0-rc14`),
    );
  });

  test('it is loaded from the folder for packages in the home', async () => {
    const home = temporaryFolder(after);
    install(home, '7.1.0');

    const library = await loadLibrary({ env: { SWITCHBOARD_HOME: home }, program: elsewhere });

    assert.equal((library as unknown as { version: string }).version, '7.1.0');
  });

  test('another major version is refused', async () => {
    const home = temporaryFolder(after);
    install(home, '6.7.0');

    await assert.rejects(loadLibrary({ env: { SWITCHBOARD_HOME: home }, program: elsewhere }), /not supported/);
  });
});
