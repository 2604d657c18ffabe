import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, type TestContext, test } from 'node:test';
import { manualClock } from '../../tests/support/manual-clock.ts';
import { silentLog } from '../../tests/support/operation-context.ts';
import { assertFails, secretsIn } from '../../tests/support/secrets/open-secrets.ts';
import { temporaryFolder } from '../../tests/support/temporary-folder.ts';
import { openSecrets } from './store.ts';

const secret = (name: string) => `\${secret:${name}}`;
const variable = (name: string) => `\${env:${name}}`;

let home: string;

beforeEach((context) => {
  const { after } = context as TestContext;
  home = join(temporaryFolder(after.bind(context)), 'home');
});

function secretsWith(env: Record<string, string>) {
  return openSecrets({ home, env, log: silentLog, clock: manualClock() });
}

describe('references to secrets and variables', () => {
  test('are replaced by their values, once and literally', async () => {
    const secrets = secretsWith({ USER_NAME: 'alice', WEIRD: `${secret('TOKEN')} $& $1` });
    await secretsIn(home).set('shared', 'TOKEN', `$& ${variable('USER_NAME')}`);

    const text = `${variable('USER_NAME')}:${secret('TOKEN')}/${variable('WEIRD')} $HOME \${HOME} ${secret('TOKEN')}`;
    const resolved = await secrets.resolve(text);

    const token = `$& ${variable('USER_NAME')}`;
    assert.equal(resolved, `alice:${token}/${secret('TOKEN')} $& $1 $HOME \${HOME} ${token}`);
  });

  test('an unknown one is an error that names it, and never an empty text', async () => {
    const secrets = secretsWith({ EMPTY: '' });
    const nowhere = [secret('NONE'), variable('NONE'), variable('EMPTY'), secret(''), secret('../x')];

    for (const reference of [...nowhere, variable('__proto__'), variable('constructor')]) {
      const error = await assertFails(secrets.resolve(`a${reference}b`), 'VALIDATION_ERROR', /^No value found for /);

      assert(error.message.includes(reference), reference);
    }
  });

  test('several unknown ones are named together, each once', async () => {
    const resolving = secretsWith({}).resolve(`${secret('A')} ${variable('B')} ${secret('A')}`);

    const error = await assertFails(resolving, 'VALIDATION_ERROR', /./);

    assert.equal(error.message, `No value found for ${secret('A')}, ${variable('B')}.`);
  });

  test('only the group shared can be referenced', async () => {
    await secretsIn(home).set('server/x', 'TOKEN', 'a value');

    await assertFails(secretsWith({}).resolve(secret('TOKEN')), 'VALIDATION_ERROR', /TOKEN/);
  });

  test('a text without references does not read the store', async () => {
    const resolved = await secretsWith({}).resolve('plain $ {} text');

    assert.equal(resolved, 'plain $ {} text');
    assert.equal(existsSync(home), false);
  });

  test('values that were set, read or referenced are masked afterwards; a variable if its name indicates a secret', async () => {
    const writing = secretsIn(home);
    await writing.set('shared', 'TOKEN', 'value-of-token');
    await writing.set('shared', 'OTHER', 'value-of-other');
    const reading = secretsWith({ GITHUB_TOKEN: 'value-of-variable', HOME: '/home/alice' });

    await reading.get('shared', 'TOKEN');
    await reading.resolve(`${secret('OTHER')} ${variable('GITHUB_TOKEN')} ${variable('HOME')}`);

    assert.equal(writing.masker.mask('value-of-token value-of-other'), '[secret] [secret]');
    assert.equal(
      reading.masker.mask('value-of-token value-of-other value-of-variable /home/alice'),
      '[secret] [secret] [secret] /home/alice',
    );
  });
});
