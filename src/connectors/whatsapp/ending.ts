import { AppError } from '../../domain/errors.ts';
import { rejected } from '../outcome-error.ts';
import { statusOf } from './outgoing.ts';

/** Why a connection ended. `again`: connect again at once. `outdated`: with a newer version of the protocol. */
export type Ending = { kind: 'again' | 'outdated' | 'unlinked'; error: unknown } | { kind: 'failed'; error: unknown };

const BANNED = 'WhatsApp has locked this account. Open WhatsApp on the phone to see why.';
const NOT_SUPPORTED = 'WhatsApp on the phone is too old for linked devices. Update it, and link the account again.';
const REPLACED =
  'Another program uses the same link to this WhatsApp account. Stop it, and then connect again with: switchboard chat login';

/** Codes of the protocol, with which the server ends a connection. */
export function endingOf(error: unknown, source: string): Ending {
  switch (statusOf(error)) {
    case 401:
      return { kind: 'unlinked', error };
    case 403:
      return { kind: 'failed', error: rejected(BANNED, { cause: error }) };
    case 405:
      return { kind: 'outdated', error };
    case 411:
      return { kind: 'failed', error: rejected(NOT_SUPPORTED, { cause: error }) };
    case 440:
      return { kind: 'failed', error: rejected(`${REPLACED} ${source}`, { cause: error }) };
    case 515:
      return { kind: 'again', error };
    default:
      return { kind: 'failed', error: lostConnection(error) };
  }
}

/** The error of the socket, if there is one, tells why the server could not be reached. */
function lostConnection(error: unknown): Error {
  const { data } = (error ?? {}) as { data?: unknown };
  if (data instanceof Error) return data;
  return new AppError('NETWORK_ERROR', 'The connection to WhatsApp was lost.', { cause: error });
}

export function notLinked(source: string): Error {
  return rejected(`No WhatsApp account is linked. Link one with: switchboard chat login ${source}`);
}

export function unlinked(source: string, cause: unknown): Error {
  return rejected(
    `The phone has unlinked Switchboard, or was not used for two weeks. Link it again with: switchboard chat login ${source}`,
    { cause },
  );
}
