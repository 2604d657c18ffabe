import { createDialogs, type Dialog, type DialogProgress } from '../../lib/dialogs.ts';
import type { Account } from './account.ts';
import type { AddParts, AddRequest } from './add-account.ts';
import { addAccount } from './add-account.ts';
import { accountFailure, checkAccount } from './check-account.ts';
import { type AccountStep, type SignInRequest, signIn } from './sign-in.ts';

export type AccountProgress = DialogProgress<AccountStep, Account>;

/** Dialogs with the person who adds an account or signs in to one. */
export interface AccountDialogs {
  add(by: string, request: AddRequest): Promise<AccountProgress>;
  login(by: string, account: Account, request: SignInRequest): Promise<AccountProgress>;
  /** `subject` is the id of the account, or `ADDING`. Undefined if there is no such dialog. */
  resume(by: string, subject: string, id: string, answer?: string): Promise<AccountProgress | undefined>;
  stop(): Promise<void>;
}

/** No id of an account: it has a space. */
export const ADDING = 'a new account';

/** How long a call waits for the browser before it returns the same step. */
const WAIT_MS = 20_000;
const EXPIRY_MS = 10 * 60_000;

export function createAccountDialogs(parts: AddParts): AccountDialogs {
  const dialogs = createDialogs<AccountStep, Account>({
    isWaiting: ({ kind }) => kind === 'open',
    waitMs: WAIT_MS,
    expiryMs: EXPIRY_MS,
  });
  return {
    add: (by, request) => dialogs.begin({ subject: ADDING, by }, (signal) => addAccount(request, parts, signal)),
    login: (by, account, request) =>
      dialogs.begin({ subject: account.id, by }, (signal) => signInAgain(account, request, parts, signal)),
    resume: (by, subject, id, answer) => dialogs.resume({ subject, by }, id, answer),
    stop: async () => dialogs.stop(),
  };
}

/** New credentials replace the stored ones only after the servers have accepted them. */
async function* signInAgain(
  account: Account,
  request: SignInRequest,
  parts: AddParts,
  signal: AbortSignal,
): Dialog<AccountStep, Account> {
  try {
    const { credentials, keep } = yield* signIn(account, request, parts, signal);
    await checkAccount(account, credentials, parts, signal);
    await keep();
  } catch (error) {
    throw accountFailure(error, account);
  }
  return account;
}
