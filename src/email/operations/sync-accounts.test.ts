import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { openMailbox } from '../../../tests/support/email/mailbox.ts';
import { syncAccounts } from './sync-accounts.ts';

let box: Awaited<ReturnType<typeof openMailbox>>;
beforeEach(async () => {
  box = await openMailbox();
});
afterEach(() => box.close());

describe('email sync', () => {
  test('of all accounts tells why one is not up to date, and brings the others up to date', async () => {
    const output = await syncAccounts.run({}, box.context);

    const [work, home, ...others] = output.accounts;
    assert.deepEqual([work, others], [{ account: 'work', added: 1, changed: 2, removed: 3 }, []]);
    assert.deepEqual([home?.account, home?.added], ['home', 0]);
    assert.match(home?.problem ?? '', /'home' is not connected to its server\. Its server cannot be reached\.$/);
    assert.equal(syncAccounts.cli?.failed?.(output), true);
    assert.match(syncAccounts.render?.(output) ?? '', /^work: 1 new, .*\nhome: The account 'home' is not connected/);
  });

  test('of one account fails where that is not connected', async () => {
    assert.equal(syncAccounts.cli?.failed?.(await syncAccounts.run({ account: 'work' }, box.context)), false);
    await assert.rejects(syncAccounts.run({ account: 'home' }, box.context), { code: 'SERVICE_UNAVAILABLE' });
  });
});
