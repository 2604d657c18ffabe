import assert from 'node:assert/strict';
import { AppError, type ErrorCode } from '../../../src/domain/errors.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import type { Keychain } from '../../../src/secrets/keychain.ts';
import { openSecrets, type Secrets } from '../../../src/secrets/store.ts';
import { silentLog } from '../operation-context.ts';

/** Secrets whose key is in a file; no keychain is used. */
export function secretsIn(home: string): Secrets {
  const env = { SWITCHBOARD_SECRETS_PROVIDER: 'file' };
  return openSecrets({ home, env, log: silentLog, clock: systemClock });
}

export function keychainInMemory(entries = new Map<string, string>()): Keychain {
  return {
    async probe() {},
    get: async (account) => entries.get(account),
    async set(account, value) {
      entries.set(account, value);
    },
  };
}

/** Asserts the code and message of the error that a caller gets. */
export async function assertFails(promise: Promise<unknown>, code: ErrorCode, words: RegExp): Promise<AppError> {
  const thrown = await promise.then(
    () => assert.fail('it did not fail'),
    (error: unknown) => error,
  );
  assert(thrown instanceof AppError, String(thrown));
  assert.equal(thrown.code, code);
  assert.match(thrown.message, words);
  return thrown;
}
