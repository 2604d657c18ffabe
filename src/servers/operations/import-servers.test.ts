import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { personWith } from '../../../tests/support/operation-context.ts';
import { openFakeServers } from '../../../tests/support/servers/fake-servers.ts';
import { importServers } from './import-servers.ts';
import { listServers } from './list-servers.ts';

const SERVERS = {
  one: { command: '/opt/one' },
  two: { command: '/opt/two', env: { NAME: '${env:NOT_SET_ANYWHERE}' } },
  script: { url: 'https://a.example.test/mcp', headersHelper: 'print-headers' },
};

async function open(test: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'import-servers-'));
  test.after(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'mcp.json');
  writeFileSync(file, JSON.stringify({ mcpServers: SERVERS }));
  const opened = await openFakeServers();
  test.after(opened.close);
  const person = personWith(opened.context);
  const run = async (given: object) => {
    const output = await importServers.run(importServers.input.parse({ file, disabled: true, ...given }), person);
    return { output, text: importServers.render?.(output) ?? '' };
  };
  return { person, run };
}

describe('importing servers', () => {
  test('saves nothing when it only shows what would be imported', async (t) => {
    const { person, run } = await open(t);
    await run({ only: 'one' });

    const { output, text } = await run({ dry_run: true });

    assert.deepEqual([output.imported, output.dry_run], [['two'], true]);
    assert.match(text, /^Would import two\.$/m);
    assert.match(text, /^Left out one: There is a server one already\.$/m);
    assert.match(text, /^Missing: NOT_SET_ANYWHERE\.$/m);
    const { servers } = await listServers.run({}, person);
    assert.deepEqual(
      servers.map(({ id }) => id),
      ['one'],
    );
  });

  test('tells only of the servers that were asked for', async (t) => {
    const { run } = await open(t);

    const some = await run({ only: ['one', 'nobody'] });
    const again = await run({ only: 'one' });
    const script = await run({ only: 'script' });

    assert.equal(some.text, 'Imported one.\nLeft out nobody: There is no server of this name.');
    assert.equal(
      again.text,
      'Nothing was imported.\nLeft out one: There is a server one already. Choose another name, or remove that server first.',
    );
    assert.match(script.text, /^Left out script: .*headersHelper/m);
  });
});
