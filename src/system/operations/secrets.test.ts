import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { contextWith } from '../../../tests/support/operation-context.ts';
import { assertFails } from '../../../tests/support/secrets/open-secrets.ts';
import type { SecretsPort } from '../secrets-port.ts';
import { deleteSecret } from './delete-secret.ts';
import { listSecrets } from './list-secrets.ts';
import { rotateSecrets } from './rotate-secrets.ts';
import { setSecret } from './set-secret.ts';

function withSecrets(secrets: Partial<SecretsPort>) {
  const nothing = () => Promise.reject(new Error('not expected'));
  return contextWith({ secrets: { set: nothing, list: nothing, delete: nothing, rotate: nothing, ...secrets } });
}

describe('the operations on secrets', () => {
  test('a secret is shared unless a group is named, and its value is not in the answer', async () => {
    const stored: string[][] = [];
    const context = withSecrets({
      async set(...secret) {
        stored.push(secret);
      },
    });

    const output = await setSecret.run(setSecret.input.parse({ name: 'TOKEN', value: 'hunter22' }), context);
    await setSecret.run(setSecret.input.parse({ name: 'TOKEN', value: 'x', group: 'server/github' }), context);

    assert.deepEqual(stored, [
      ['shared', 'TOKEN', 'hunter22'],
      ['server/github', 'TOKEN', 'x'],
    ]);
    assert.deepEqual(output, { group: 'shared', name: 'TOKEN' });
    assert.equal(setSecret.render?.(output), 'Stored TOKEN (shared).');
  });

  test('the list has names, groups and timestamps', async () => {
    const secrets = [{ group: 'shared', name: 'TOKEN', updated: '2030-01-01T00:00:00.000Z' }];
    const list: SecretsPort['list'] = async (group) => (group === undefined ? secrets : []);

    const all = await listSecrets.run({}, withSecrets({ list }));
    const none = await listSecrets.run({ group: 'server/x' }, withSecrets({ list }));

    assert.deepEqual(all, { secrets });
    assert.equal(listSecrets.render?.(all), 'TOKEN (shared), set 2030-01-01T00:00:00.000Z');
    assert.equal(listSecrets.render?.(none), 'No secret is stored.');
  });

  test('deleting reports what was removed, and what did not exist', async () => {
    const context = withSecrets({ delete: async (_, name) => name === 'TOKEN' });

    const output = await deleteSecret.run(deleteSecret.input.parse({ name: 'TOKEN' }), context);

    assert.equal(deleteSecret.render?.(output), 'Deleted TOKEN (shared).');
    const missing = deleteSecret.run(deleteSecret.input.parse({ name: 'OTHER' }), context);
    const error = await assertFails(missing, 'NOT_FOUND', /no such secret/);
    assert.equal(error.field, 'name');
  });

  test('rotating reports how many secrets have a new key', async () => {
    const output = await rotateSecrets.run({}, withSecrets({ rotate: async () => ({ secrets: 3 }) }));

    assert.equal(rotateSecrets.render?.(output), 'Encrypted 3 secrets with a new master key.');
    assert.equal(rotateSecrets.render?.({ secrets: 0 }), 'No secret is stored.');
  });

  test('each of them requires the manage scope', () => {
    const rights = [setSecret, listSecrets, deleteSecret, rotateSecrets].map(({ right }) => right);

    assert.deepEqual([...new Set(rights)], ['manage']);
  });
});
