import { setTimeout as wait } from 'node:timers/promises';
import { AppError } from '../../domain/errors.ts';
import type { Clock } from '../../lib/clock.ts';
import { withDeadline } from '../../lib/deadline.ts';

const TIMEOUT_MS = 5_000;
const RETRIES = 2;
const PAUSE_MS = 200;
const MAX_BYTES = 5 * 1024 * 1024;
/** How long a registry is left alone that does not say how long, and at most. */
const USUAL_REST_MS = 60_000;
const MAX_REST_MS = 60 * 60_000;

export interface RegistryHttpOptions {
  /** As it is called in errors. */
  title: string;
  clock: Clock;
  headers?: Readonly<Record<string, string>>;
  timeoutMs?: number;
  maxBytes?: number;
  retryPauseMs?: number;
}

/** Reads JSON of a registry. All failures are AppErrors in our words; undefined is "not found". */
export type GetJson = (url: URL, signal?: AbortSignal) => Promise<unknown>;

/** The request may succeed when it is repeated. One that took too long is not: the caller has waited enough. */
class Passing extends Error {
  override readonly name = 'Passing';
  readonly error: AppError;

  constructor(error: AppError) {
    super(error.message);
    this.error = error;
  }
}

export function createRegistryHttp(options: RegistryHttpOptions): GetJson {
  const { title, clock, timeoutMs = TIMEOUT_MS, retryPauseMs = PAUSE_MS } = options;
  let restsUntil = 0;

  async function once(url: URL, signal: AbortSignal | undefined): Promise<unknown> {
    const late = (why: 'timeout' | 'cancelled') =>
      why === 'timeout'
        ? new AppError('NETWORK_ERROR', `${capital(title)} did not answer within ${timeoutMs / 1_000} s.`)
        : new AppError('TIMEOUT', 'The request was cancelled.');
    return withDeadline(timeoutMs, signal, late, (limited) => exchange(url, limited));
  }

  async function exchange(url: URL, signal: AbortSignal): Promise<unknown> {
    const headers = { accept: 'application/json', ...options.headers };
    // A key must not be sent to another server after a redirect.
    const response = await fetch(url, { headers, redirect: 'manual', signal }).catch((cause: unknown) => {
      throw new Passing(new AppError('NETWORK_ERROR', `${capital(title)} cannot be reached.`, { cause }));
    });
    const { status } = response;
    if (status !== 200) await response.body?.cancel().catch(() => {});
    if (status === 404) return undefined;
    if (status === 429) {
      restsUntil = clock.now() + restOf(response.headers.get('retry-after'), clock);
      throw tooMany();
    }
    if (status !== 200) throw refusal(title, status);
    return parsed(await textOf(response));
  }

  async function textOf(response: Response): Promise<string> {
    const { maxBytes = MAX_BYTES } = options;
    const chunks: Uint8Array[] = [];
    let size = 0;
    try {
      for await (const chunk of response.body ?? []) {
        size += chunk.length;
        // Leaving the loop cancels the rest.
        if (size > maxBytes)
          throw new AppError('SERVICE_UNAVAILABLE', `${capital(title)} sent an answer that is too large.`);
        chunks.push(chunk);
      }
    } catch (cause) {
      if (cause instanceof AppError) throw cause;
      throw new Passing(new AppError('NETWORK_ERROR', `${capital(title)} ended the connection.`, { cause }));
    }
    return Buffer.concat(chunks).toString('utf8');
  }

  function parsed(text: string): unknown {
    try {
      return JSON.parse(text);
    } catch (cause) {
      throw notUnderstood(title, cause);
    }
  }

  function tooMany(): AppError {
    const seconds = Math.max(1, Math.ceil((restsUntil - clock.now()) / 1_000));
    return new AppError('RATE_LIMITED', `${capital(title)} does not take more requests now.`, {
      hint: `Try again in ${seconds} s.`,
    });
  }

  return async (url, signal) => {
    for (let tries = 0; ; tries += 1) {
      if (clock.now() < restsUntil) throw tooMany();
      try {
        return await once(url, signal);
      } catch (thrown) {
        if (!(thrown instanceof Passing)) throw thrown;
        if (tries >= RETRIES || signal?.aborted) throw thrown.error;
        await wait(retryPauseMs * 2 ** tries, undefined, signal && { signal }).catch(() => {});
      }
    }
  };
}

/** An answer that is not of the registry's API. */
export function notUnderstood(title: string, cause?: unknown): AppError {
  return new AppError('SERVICE_UNAVAILABLE', `${capital(title)} sent an answer that is not understood.`, { cause });
}

function refusal(title: string, status: number): Error {
  if (status >= 500) {
    return new Passing(new AppError('SERVICE_UNAVAILABLE', `${capital(title)} failed with status ${status}.`));
  }
  if (status === 401 || status === 403) {
    return new AppError('SERVICE_UNAVAILABLE', `${capital(title)} does not answer without a valid API key.`);
  }
  return new AppError('SERVICE_UNAVAILABLE', `${capital(title)} refused the request with status ${status}.`);
}

/** Retry-After: seconds or a date. */
function restOf(header: string | null, clock: Clock): number {
  const text = header?.trim() ?? '';
  const rest = /^\d{1,9}$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - clock.now();
  return Number.isFinite(rest) ? Math.min(Math.max(rest, 0), MAX_REST_MS) : USUAL_REST_MS;
}

function capital(title: string): string {
  return title.slice(0, 1).toUpperCase() + title.slice(1);
}
