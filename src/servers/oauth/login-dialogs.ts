import { createDialogs, type DialogProgress } from '../../lib/dialogs.ts';
import type { LoginStep } from './login.ts';
import type { OAuthServer } from './oauth-server.ts';
import type { LoggedIn, ServerOAuth } from './server-oauth.ts';

export type LoginProgress = DialogProgress<LoginStep, LoggedIn>;

/** Logins that go over several calls, one for each server. */
export interface LoginDialogs {
  begin(by: string, server: OAuthServer, options: { openBrowser?: boolean }): Promise<LoginProgress>;
  /** Undefined if there is no such dialog of this identity. */
  resume(by: string, serverId: string, dialogId: string, answer?: string): Promise<LoginProgress | undefined>;
  stop(): void;
}

/** How long a call waits for the browser before it returns the same step. */
const WAIT_MS = 20_000;
const EXPIRY_MS = 10 * 60_000;

export function createLoginDialogs(oauth: Pick<ServerOAuth, 'login'>): LoginDialogs {
  const dialogs = createDialogs<LoginStep, LoggedIn>({
    isWaiting: ({ kind }) => kind === 'open',
    waitMs: WAIT_MS,
    expiryMs: EXPIRY_MS,
  });
  return {
    begin: (by, server, options) =>
      dialogs.begin({ subject: server.id, by }, (signal) => oauth.login(server, { ...options, signal })),
    resume: (by, serverId, dialogId, answer) => dialogs.resume({ subject: serverId, by }, dialogId, answer),
    stop: () => dialogs.stop(),
  };
}
