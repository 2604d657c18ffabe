import { z } from 'zod';
import { AppError } from '../../domain/errors.ts';
import { type OperationContext, operation } from '../../operation.ts';
import type { GrantedAccounts } from '../accounts/granted-accounts.ts';
import { resolveAccount } from '../accounts/resolve-account.ts';
import type { LiveSessions } from '../mailbox/live-sessions.ts';
import { mailFailure } from '../mailbox/mail-failure.ts';

const View = z.object({
  account: z.string(),
  added: z.int(),
  changed: z.int(),
  removed: z.int(),
  problem: z.string().optional().describe('Why it is not up to date.'),
});

const Output = z.object({ accounts: z.array(View) });

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
      notes: (output) => notesOn(Output.parse(output)),
    },
    failed: ({ accounts }) => accounts.some(({ problem }) => problem !== undefined),
  },
  rest: { method: 'POST', path: '/accounts/sync' },
  kind: 'command',
  effect: 'writes',
  idempotent: true,
  deadlineMs: DEADLINE_MS,
  description: 'Looks for new and changed emails now, and waits until all mail of the accounts is stored.',
  input: z.strictObject({ account: z.string().max(200).optional().describe('Account; default: all.') }),
  output: Output,
  async run({ account: wanted }, context: SyncContext & Pick<GrantedAccounts, 'wholeAccounts'>) {
    const all = await context.wholeAccounts.list();
    const chosen = wanted === undefined ? all : [resolveAccount(all, wanted)];
    const sync = chosen.length === 1 ? syncOne : syncIfPossible;
    const accounts: z.input<typeof View>[] = [];
    for (const { id } of chosen) accounts.push(await sync(id, context));
    return { accounts };
  },
  render: ({ accounts }) => accounts.map(asLine).join('\n') || 'No email account is configured.',
});

type SyncContext = OperationContext & { sessions: Pick<LiveSessions, 'of'> };

/** One account that is signed off, or whose server is down, does not keep the others from being brought up to date. */
async function syncIfPossible(account: string, context: SyncContext): Promise<z.input<typeof View>> {
  try {
    return await syncOne(account, context);
  } catch (error) {
    if (context.signal.aborted || !(error instanceof AppError)) throw error;
    const { message, hint } = error;
    return { account, added: 0, changed: 0, removed: 0, problem: [message, hint ?? []].flat().join(' ') };
  }
}

async function syncOne(account: string, { sessions, signal, progress }: SyncContext): Promise<z.input<typeof View>> {
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

/** Shown below the table, because a column would truncate them. */
function notesOn({ accounts }: z.output<typeof Output>): string[] {
  return accounts.flatMap(({ account, problem }) => (problem === undefined ? [] : [`${account}: ${problem}`]));
}

function asLine({ account, added, changed, removed, problem }: z.output<typeof View>): string {
  if (problem !== undefined) return `${account}: ${problem}`;
  return `${account}: ${added} new, ${changed} changed, ${removed} moved or deleted`;
}
