import type { ImapFlow } from 'imapflow';
import { MailError } from '../../mail-connector.ts';
import { lost } from './failure.ts';
import type { SessionLimits } from './limits.ts';
import { pause } from './pause.ts';

/** How a connection ends: by us, by the signal, or by itself. */
export interface Ending {
  /** Resolves when it is over; with the reason if it broke. */
  readonly closed: Promise<MailError | undefined>;
  /** Aborted when it is over. */
  readonly over: AbortSignal;
  /** Why a command cannot be answered any more. */
  reason(cause: unknown): MailError;
  /** Gives up a connection that does not work. */
  giveUp(failure: Error): void;
  close(): Promise<void>;
}

export function createEnding(client: ImapFlow, signal: AbortSignal, { closeMs }: SessionLimits): Ending {
  const { promise: closed, resolve } = Promise.withResolvers<MailError | undefined>();
  const over = new AbortController();
  let isOurs = false;
  let failure: unknown;
  client.on('error', (error) => {
    failure ??= error;
  });
  const abort = () => {
    isOurs = true;
    client.close();
  };
  const reason = (cause: unknown) => {
    if (isOurs) return new MailError('lost', 'The connection was closed.', cause);
    return lost(failure ?? Object.assign(new Error('the connection ended', { cause }), { reason: client.byeReason }));
  };
  const finish = () => {
    signal.removeEventListener('abort', abort);
    over.abort();
    resolve(isOurs ? undefined : reason(undefined));
  };
  client.once('close', finish);
  signal.addEventListener('abort', abort, { once: true });
  if (client.isClosed) finish();
  if (signal.aborted) abort();

  return {
    closed,
    over: over.signal,
    reason,
    giveUp(error) {
      failure ??= error;
      client.close();
    },
    async close() {
      if (client.isClosed) return;
      isOurs = true;
      await Promise.race([client.logout().catch(() => undefined), pause(closeMs, over.signal)]);
      client.close();
      await closed;
    },
  };
}
