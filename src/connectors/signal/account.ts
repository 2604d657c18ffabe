import type { Memory } from '../connector.ts';
import { CODE, type Daemon, RpcError } from './daemon.ts';
import { readAccounts } from './schema.ts';
import type { SignalSettings } from './settings.ts';

/** Key of the account that was linked by `chat login`, for settings without one. */
export const LINKED = 'account';

/** Key of the account that was linked by `chat login`, in any case. */
export const LINKED_BY_US = 'linked';

/** The account that a source is for. */
export interface Account {
  number: string;
  uuid?: string | undefined;
  /** Of every request; none if signal-cli was started for one account. */
  parameters: { account?: string };
}

export type AccountSearch = { kind: 'found'; account: Account } | { kind: 'none' | 'several' | 'unnamed' };

/** Finds the account of the settings, or the only one. */
export async function findAccount(
  daemon: Daemon,
  { account: wanted }: SignalSettings,
  memory: Memory,
): Promise<AccountSearch> {
  const listed = await accountsOf(daemon);
  // signal-cli was started with `-a`: it knows nothing of other accounts.
  if (!listed)
    return wanted === undefined ? { kind: 'unnamed' } : { kind: 'found', account: { number: wanted, parameters: {} } };
  const chosen = wanted ?? (await memory.get(LINKED));
  const fitting = listed.filter(({ number, uuid }) => chosen === undefined || chosen === number || chosen === uuid);
  const [only] = fitting;
  if (!only) return { kind: 'none' };
  if (fitting.length > 1) return { kind: 'several' };
  const number = only.number ?? only.uuid ?? '';
  return { kind: 'found', account: { number, uuid: only.uuid, parameters: { account: number } } };
}

/** What to do about an account that was not found. */
export const UNFOUND = {
  several: 'signal-cli has several accounts: set `account` to the phone number of one.',
  unnamed: 'signal-cli was started for one account: set `account` to its phone number.',
} as const;

async function accountsOf(daemon: Daemon) {
  try {
    return readAccounts(await daemon.call('listAccounts'));
  } catch (error) {
    if (error instanceof RpcError && error.code === CODE.noMethod) return undefined;
    throw error;
  }
}
