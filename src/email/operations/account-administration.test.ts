import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { accountOf } from '../../../tests/support/email/account-samples.ts';
import { contextWith, silentLog } from '../../../tests/support/operation-context.ts';
import { openStore } from '../../../tests/support/store/open-store.ts';
import { systemClock } from '../../lib/clock.ts';
import { type Account, createAccounts } from '../accounts/account.ts';
import type { AccountDialogs, AccountProgress } from '../accounts/account-dialogs.ts';
import type { AddRequest } from '../accounts/add-account.ts';
import { addAccount } from './add-account.ts';
import { removeAccount } from './remove-account.ts';
import { loginAccount, logoutAccount } from './sign-in.ts';

const WORK = accountOf('work', { email: 'alice@example.test' });
const ASKED: AccountProgress = {
  kind: 'step',
  id: 'dialog-1',
  step: { kind: 'ask', field: 'password', label: 'Pass\u001bword', secret: true },
};
const OPENED: AccountProgress = {
  kind: 'step',
  id: 'dialog-1',
  step: { kind: 'open', url: 'https://authority.test/', code: 'ABCD' },
};
const ENDED: AccountProgress = { kind: 'end', end: WORK };

describe('email add', () => {
  test('passes on what is given, and resolves paths in the folder of the caller', async () => {
    const world = await open({ progress: [ENDED] });
    const input = addAccount.input.parse({ email: 'a@b.test', imap_host: 'h', imap_tls: 'starttls', ca: 'ca.pem' });

    const added = await addAccount.run(input, { ...world.context, origin: { pid: 1, cwd: '/home/alice' } });

    const request = world.calls[0]?.[1] as AddRequest;
    assert.deepEqual([request.email, request.imap.tls, request.ca], ['a@b.test', 'starttls', '/home/alice/ca.pem']);
    assert.equal(world.changes(), 1);
    assert.equal(
      addAccount.render?.(addAccount.output.parse(added)),
      'Added work (alice@example.test), which reads from mail.example.test:993. It sends by mail.example.test:465. Its mail is being fetched.',
    );
  });

  test('asks the person, and continues with the answer', async () => {
    const world = await open({ progress: [ASKED, OPENED, ENDED] });
    const empty = addAccount.input.parse({});

    const asked = addAccount.output.parse(await addAccount.run(empty, world.context));
    const question = addAccount.cli?.question?.(empty, asked);
    const next = addAccount.input.parse(question?.next('secret'));
    const opened = addAccount.output.parse(await addAccount.run(next, world.context));
    const page = addAccount.cli?.question?.(empty, opened);
    const ended = addAccount.output.parse(await addAccount.run(addAccount.input.parse(page?.next('')), world.context));

    assert.deepEqual([question?.text, question?.secret, question?.isAnswered], ['Pass\\x1bword:', true, true]);
    assert.match(page?.text ?? '', /and type the code ABCD:\n\n {2}https:\/\/authority\.test\/\n/);
    assert.equal(page?.isAnswered, false);
    assert.deepEqual(
      world.calls.slice(1).map((call) => call.slice(1)),
      [
        ['a new account', 'dialog-1', 'secret'],
        ['a new account', 'dialog-1', undefined],
      ],
    );
    assert.equal(addAccount.cli?.question?.(empty, ended), undefined);
    assert.equal(addAccount.render?.(asked), 'Pass\\x1bword:');
  });

  test('knows no dialog that has ended', async () => {
    const world = await open({ progress: [] });

    await assert.rejects(addAccount.run(addAccount.input.parse({ dialog_id: 'gone' }), world.context), {
      code: 'CONFLICT',
      field: 'dialog_id',
    });
  });

  test('refuses ids and hosts that are none', () => {
    for (const wrong of [{ id: 'A' }, { id: 'human' }, { id: 'a b' }, { imap_host: 'a/b' }, { imap_port: 0 }]) {
      assert.equal(addAccount.input.safeParse(wrong).success, false);
    }
  });
});

describe('email login', () => {
  test('signs in, connects, and reports the state', async () => {
    const world = await open({ progress: [ASKED, ENDED], accounts: [WORK] });
    const first = loginAccount.input.parse({ account: 'alice@example.test' });

    const asked = loginAccount.output.parse(await loginAccount.run(first, world.context));
    const next = loginAccount.cli?.question?.(first, asked)?.next('secret');
    const done = loginAccount.output.parse(await loginAccount.run(loginAccount.input.parse(next), world.context));

    assert.deepEqual(done, { account: 'work', is_connected: true });
    assert.deepEqual(world.signed, ['work on']);
    assert.equal(loginAccount.render?.(done), 'work is signed in and connected.');
    assert.deepEqual(
      [loginAccount.cli?.failed?.(asked), loginAccount.cli?.failed?.(done), loginAccount.render?.(asked)],
      [false, false, 'Pass\\x1bword:'],
    );
  });

  test('fails where the account is not connected afterwards', async () => {
    const world = await open({ progress: [ENDED], accounts: [WORK], problem: 'The server is down.' });

    const done = await loginAccount.run(loginAccount.input.parse({ account: 'work' }), world.context);

    const output = loginAccount.output.parse(done);
    assert.equal(loginAccount.cli?.failed?.(output), true);
    assert.equal(loginAccount.render?.(output), 'work is signed in, but not connected. The server is down.');
  });

  test('connects with the password in the file, and asks for no other', async () => {
    const accounts = [accountOf('work', { auth: { password: 'p' } })];
    const world = await open({ progress: [], accounts });
    const rejected = await open({ progress: [], accounts, problem: 'It was not accepted.' });
    const login = loginAccount.input.parse({ account: 'work' });

    assert.deepEqual(await loginAccount.run(login, world.context), { account: 'work', is_connected: true });
    assert.deepEqual(await loginAccount.run(login, rejected.context), {
      account: 'work',
      is_connected: false,
      problem: 'It was not accepted. Its password is in config.yaml.',
    });
    assert.deepEqual(world.signed, ['work on']);
  });

  test('refuses another password where one is in the file, and a dialog that there is not', async () => {
    const inFile = accountOf('work', { auth: { password: 'p' } });
    const world = await open({ progress: [], accounts: [inFile] });
    const login = (input: object) =>
      loginAccount.run(loginAccount.input.parse({ account: 'work', ...input }), world.context);

    await assert.rejects(login({ password: 'q' }), {
      code: 'CONFLICT',
      message: 'The password of account work is in config.yaml.',
    });
    await assert.rejects(login({ dialog_id: 'gone' }), { code: 'CONFLICT', field: 'dialog_id' });
  });
});

describe('email logout', () => {
  test('disconnects the account and deletes its secrets', async () => {
    const world = await open({ accounts: [WORK] });

    const done = await logoutAccount.run({ account: 'work' }, world.context);

    assert.deepEqual([done, world.signed, world.forgotten], [{ account: 'work' }, ['work off'], ['work']]);
    assert.match(logoutAccount.render?.(done) ?? '', /until `switchboard email login work`/);
  });
});

describe('email remove', () => {
  test('disconnects the account first, then deletes its secrets and its mail', async () => {
    const world = await open({});
    await world.store.email.accounts.add({
      id: 'old',
      settings: { email: 'a@b.test', provider: 'gmail' },
      createdAt: 1,
    });

    const done = await removeAccount.run({ account: 'old' }, world.context);

    assert.deepEqual(done, { account: 'old', removed_messages: 7 });
    assert.deepEqual([await world.store.email.accounts.list(), world.changes(), world.forgotten], [[], 1, ['old']]);
    assert.equal(removeAccount.render?.(done), 'Removed old with 7 emails.');
  });

  test('deletes the mail of an account that is no longer configured', async () => {
    const world = await open({});
    await world.store.email.mail.saveFolders('gone', [{ path: 'INBOX', names: ['INBOX'], isSelectable: true }]);

    const done = await removeAccount.run({ account: 'gone' }, world.context);

    assert.deepEqual([done.account, await world.store.email.mail.accounts()], ['gone', []]);
  });

  test('is refused for an account in the file, and for an unknown one', async () => {
    const world = await open({ accounts: [WORK] });

    await assert.rejects(removeAccount.run({ account: 'work' }, world.context), { code: 'CONFLICT', field: 'account' });
    await assert.rejects(removeAccount.run({ account: 'none' }, world.context), { code: 'ACCOUNT_NOT_FOUND' });
  });
});

interface World {
  /** What the dialogs answer. */
  progress?: AccountProgress[];
  /** Those of the file. */
  accounts?: Account[];
  problem?: string;
}

async function open({ progress = [], accounts = [], problem }: World) {
  const store = await openStore({ url: 'sqlite::memory:', home: '/', clock: systemClock, log: silentLog });
  const calls: unknown[][] = [];
  const signed: string[] = [];
  const forgotten: string[] = [];
  let changes = 0;
  const say = async (...call: unknown[]) => {
    calls.push(call);
    return progress.shift();
  };
  const inFile = Object.fromEntries(accounts.map(({ id, settings }) => [id, settings]));
  const context = contextWith({
    accountDialogs: { add: say, login: say, resume: say } as unknown as AccountDialogs,
    stopDialogs: async () => {},
    accounts: createAccounts({ configured: async () => inFile, stored: store.email.accounts.list }),
    accountRepository: store.email.accounts,
    mail: store.email.mail,
    access: { forget: async (id: string) => void forgotten.push(id) },
    connections: {
      sign: async (id: string, direction: string) => void signed.push(`${id} ${direction}`),
      state: async () => ({ isConnected: problem === undefined, problem }),
    },
    accountsChanged: async () => {
      changes += 1;
    },
    removeMessages: async () => 7,
  });
  return { store, calls, signed, forgotten, context, changes: () => changes };
}
