import { AppError } from '../../domain/errors.ts';
import type { ServerAuth } from '../../domain/server-config.ts';

/** What of a configured server matters here. */
export interface OAuthServer {
  id: string;
  url: string;
  auth: ServerAuth;
}

/** The part of the secrets store that is needed; every value that is set or read is masked from then on. */
export interface OAuthSecrets {
  get(group: string, name: string): Promise<string | undefined>;
  set(group: string, name: string, value: string): Promise<void>;
  delete(group: string, name: string): Promise<boolean>;
  deleteGroup(group: string): Promise<boolean>;
}

export function needsLogin(id: string, cause?: unknown): AppError {
  return new AppError('UNAUTHENTICATED', `The server ${id} needs a login.`, {
    hint: `Log in with \`switchboard servers login ${id}\`.`,
    cause,
  });
}
