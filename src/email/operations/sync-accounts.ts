import { z } from 'zod';
import { type OperationContext, operation } from '../../operation.ts';
import type { GrantedAccounts } from '../accounts/granted-accounts.ts';
import { resolveAccount } from '../accounts/resolve-account.ts';
import type { LiveSessions } from '../mailbox/live-sessions.ts';
import { mailFailure } from '../mailbox/mail-failure.ts';

const View = z.object({ account: z.string(), added: z.int(), changed: z.int(), removed: z.int() });

/** A first synchronization may take long. */
const DEADLINE_MS = 6 * 60 * 60 * 1000;
const PROGRESS_MS = 200;

export const syncAccounts = operation({
  cli: {
    path: 'email sync',
    positionals: ['account'],
    examples: ['switchboard email sync', 'switchboard email sync work'],
    list: {
      key: 'accounts',
      columns: ['account', 'added', 'changed', 'removed'],
      line: (account) => asLine(View.parse(account)),
    },
  },
  rest: { method: 'POST', path: '/accounts/sync' },
  kind: 'command',
  effect: 'writes',
  idempotent: true,
  deadlineMs: DEADLINE_MS,
  description: 'Looks for new and changed emails now, and waits until all mail of the accounts is stored.',
  input: z.strictObject({ account: z.string().max(200).optional().describe('Account; default: all.') }),
  output: z.object({ accounts: z.array(View) }),
  async run(
    { account: wanted },
    context: OperationContext & Pick<GrantedAccounts, 'wholeAccounts'> & { sessions: Pick<LiveSessions, 'of'> },
  ) {
    const all = await context.wholeAccounts.list();
    const chosen = wanted === undefined ? all : [resolveAccount(all, wanted)];
    const accounts: z.input<typeof View>[] = [];
    for (const { id } of chosen) accounts.push(await syncOne(id, context));
    return { accounts };
  },
  render: ({ accounts }) => accounts.map(asLine).join('\n') || 'No email account is configured.',
});

async function syncOne(
  account: string,
  { sessions, signal, progress }: OperationContext & { sessions: Pick<LiveSessions, 'of'> },
): Promise<z.input<typeof View>> {
  const live = await sessions.of(account, signal);
  const report = setInterval(() => {
    const fetched = live.progress();
    if (fetched) progress(fetched.done, fetched.total, account);
  }, PROGRESS_MS);
  try {
    return { account, ...(await live.syncAll()) };
  } catch (error) {
    throw mailFailure(error, account);
  } finally {
    clearInterval(report);
  }
}

function asLine({ account, added, changed, removed }: z.output<typeof View>): string {
  return `${account}: ${added} new, ${changed} changed, ${removed} moved or deleted`;
}
