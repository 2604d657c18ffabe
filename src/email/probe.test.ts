import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { accountSettings } from '../../tests/support/email/account-samples.ts';
import type { ProbeContext } from '../capability.ts';
import { accountsProbe } from './probe.ts';
import type { EmailSettings } from './settings.ts';

describe("doctor's look at accounts", () => {
  test('tells which accounts there are, and which cannot send', async () => {
    const findings = await examine(
      { work: accountSettings(), home: accountSettings({ email: 'a@home.test', smtp: undefined }) },
      [{ id: 'work' }, { id: 'added', email: 'a@added.test', can_send: true }],
    );

    assert.deepEqual(findings, [
      ['ok', 'work (alice@example.test) reads and sends.'],
      ['ok', 'home (a@home.test) only reads: it has no server for sending (`smtp`).'],
      ['ok', 'added (a@added.test) reads and sends.'],
    ]);
  });

  test('warns of passwords that are sent without encryption to another machine', async () => {
    const plain = (host: string) => ({ host, port: 143, tls: false });

    const findings = await examine({
      far: accountSettings({ imap: plain('mail.example.test'), smtp: undefined }),
      near: accountSettings({ imap: plain('127.0.0.1'), smtp: plain('localhost') }),
    });

    assert.deepEqual(
      findings.filter(([state]) => state !== 'ok'),
      [['warning', 'far sends its password and mail to mail.example.test without encryption.']],
    );
  });

  test('says that there is none, or that it is not known', async () => {
    assert.deepEqual(await examine({}), [['ok', 'None is configured; `switchboard email add` adds one.']]);
    assert.deepEqual(await examine(undefined), [
      ['ok', 'Which there are is not known while the configuration is not valid.'],
    ]);
  });
});

async function examine(accounts: EmailSettings['accounts'] | undefined, told?: object[]) {
  const context: ProbeContext<EmailSettings> = {
    home: '/',
    settings: accounts && { accounts },
    ask: async () => (told && { accounts: told }) as never,
  };
  return (await accountsProbe.examine(context)).map(({ state, says }) => [state, says]);
}
