import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { startHttp } from '../support/mcp/mcp-program.ts';
import { runProgram } from '../support/program.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

interface Check {
  check: string;
  state: string;
  says: string;
}

function homeWith(config?: string): string {
  const home = join(temporaryFolder(after), 'home');
  if (config === undefined) return home;
  mkdirSync(home, { mode: 0o700 });
  writeFileSync(join(home, 'config.yaml'), config, { mode: 0o600 });
  return home;
}

async function examined(home: string, env: Record<string, string> = {}) {
  const { code, stdout, stderr } = await runProgram(['doctor', '--json'], { home, env });
  assert.equal(stderr, '');
  const { checks } = JSON.parse(stdout) as { checks: Check[] };
  const of = (wanted: string) => checks.filter(({ check }) => check === wanted);
  return { code, checks, of };
}

describe('switchboard doctor', () => {
  test('a new machine passes, and the check creates nothing', async () => {
    const home = homeWith();

    const { code, stdout } = await runProgram(['doctor'], { home });

    assert.equal(code, 0, stdout);
    assert.match(stdout, /^ok {7}node /);
    assert.match(stdout, /All is well\.\n$/);
    assert.equal(existsSync(home), false);
  });

  test('an invalid configuration is reported with its line, and exits with 1', async () => {
    const { code, of } = await examined(homeWith('limits:\n  max_concurent: 5\n'));

    assert.equal(code, 1);
    const [config] = of('config');
    assert.equal(config?.state, 'broken');
    assert.match(config?.says ?? '', /config\.yaml:2/);
  });

  test('secrets in plain text in the file are a warning; those from the environment are not', async () => {
    const home = homeWith(`auth:\n  token: a-plain-token-of-some-length\nclaude:\n  api_key: \${env:THE_KEY}\n`);

    const { code, of, checks } = await examined(home, { THE_KEY: 'key-from-outside' });

    assert.equal(code, 0);
    const warnings = of('config').filter(({ state }) => state === 'warning');
    assert.deepEqual(
      warnings.map(({ says }) => says),
      ['auth.token stands in the file as it is.'],
    );
    assert(!JSON.stringify(checks).includes('a-plain-token'));
  });

  test('a configuration that other users can change is a warning', async () => {
    const home = homeWith('logging: { level: info }');
    chmodSync(join(home, 'config.yaml'), 0o666);

    const { checks } = await examined(home);

    assert.match(JSON.stringify(checks), /Other users of this machine can change the file/);
  });

  test('a missing secret is reported as broken', async () => {
    const { code, of } = await examined(homeWith(`auth:\n  token: \${secret:OWNER}\n`));

    assert.equal(code, 1);
    assert.match(of('config')[0]?.says ?? '', /OWNER/);
  });

  test('the running daemon and the store are reported', async (context) => {
    const home = homeWith();
    const program = await startHttp({ home });
    context.after(() => program.stop());

    const { code, of } = await examined(home);

    assert.equal(code, 0);
    assert.match(of('daemon')[0]?.says ?? '', /^Process \d+ \(serve\), version /);
    assert.match(of('store')[0]?.says ?? '', /switchboard\.db, schema \d+$/);
  });

  test('a file that is not a database is reported as a broken store', async () => {
    const home = homeWith('');
    writeFileSync(join(home, 'switchboard.db'), 'something else entirely', { mode: 0o600 });

    const { code, of } = await examined(home);

    assert.equal(code, 1);
    assert.equal(of('store')[0]?.state, 'broken');
  });
});
