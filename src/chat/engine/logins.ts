import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Login, LoginEnd, LoginStep } from '../../connectors/connector.ts';
import { AppError } from '../../domain/errors.ts';

/** Progress of a sign-in: a step to show, or its end. */
export type LoginProgress = { kind: 'step'; loginId: string; step: LoginStep } | LoginEnd;

/** Continues a sign-in: with an answer, or without one to see its step again. */
export interface LoginAnswer {
  loginId?: string | undefined;
  answer?: string | undefined;
  /** The identity that signs in: only the one that began can continue. */
  by: string;
}

interface Entry {
  source: string;
  by: string;
  login: Login;
  giveUp: AbortController;
  step?: LoginStep;
  /** The step that follows, while the connector works on it. */
  next?: Promise<LoginStep | LoginEnd>;
  expiry?: NodeJS.Timeout;
}

/** How long a caller waits for a code to be scanned before it is shown the same code again. */
const SCAN_MS = 20_000;
/** A sign-in without an answer for this long has to be started again. */
const EXPIRY_MS = 10 * 60_000;

/** The running sign-ins, one for each source. They end with this process. */
export function createLogins({ scanMs = SCAN_MS, expiryMs = EXPIRY_MS } = {}) {
  const entries = new Map<string, Entry>();

  function end(id: string): void {
    const entry = entries.get(id);
    entries.delete(id);
    clearTimeout(entry?.expiry);
    entry?.giveUp.abort();
  }

  function endOthers(source: string): void {
    for (const [id, entry] of entries) if (entry.source === source) end(id);
  }

  async function begin(source: string, open: (signal: AbortSignal) => Login, by: string): Promise<LoginProgress> {
    endOthers(source);
    const giveUp = new AbortController();
    const id = randomUUID();
    const entry: Entry = { source, by, login: open(giveUp.signal), giveUp };
    entries.set(id, entry);
    return progress(id, entry, advance(entry, ''));
  }

  async function resume(source: string, id: string, { by, answer }: LoginAnswer): Promise<LoginProgress> {
    const entry = entries.get(id);
    if (entry?.source !== source || entry.by !== by || !entry.step) throw unknownLogin(source);
    if (entry.step.kind === 'show-qr') {
      const waited = sleep(scanMs, entry.step, { ref: false });
      return progress(id, entry, Promise.race([advance(entry, ''), waited]));
    }
    if (answer === undefined) return { kind: 'step', loginId: id, step: entry.step };
    return progress(id, entry, advance(entry, answer));
  }

  /** The next step; the same one for all callers that wait for it. */
  function advance(entry: Entry, answer: string): Promise<LoginStep | LoginEnd> {
    entry.next ??= entry.login
      .next(answer)
      .then(({ value }) => value)
      .finally(() => {
        delete entry.next;
      });
    return entry.next;
  }

  async function progress(id: string, entry: Entry, next: Promise<LoginStep | LoginEnd>): Promise<LoginProgress> {
    try {
      const step = await next;
      if (step.kind === 'done' || step.kind === 'failed') {
        end(id);
        return step;
      }
      entry.step = step;
      clearTimeout(entry.expiry);
      entry.expiry = setTimeout(end, expiryMs, id).unref();
      return { kind: 'step', loginId: id, step };
    } catch (error) {
      end(id);
      throw error;
    }
  }

  return {
    /** Begins to sign in, or continues if `loginId` is given. */
    run: (source: string, open: (signal: AbortSignal) => Login, answer: LoginAnswer) =>
      answer.loginId === undefined ? begin(source, open, answer.by) : resume(source, answer.loginId, answer),
    stop(): void {
      for (const id of entries.keys()) end(id);
    },
  };
}

function unknownLogin(source: string): AppError {
  return new AppError('CONFLICT', 'This sign-in has ended, or was never begun.', {
    field: 'login_id',
    hint: `Begin again: switchboard chat login ${source}`,
  });
}
