import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

/** A dialog with a user: yields steps, gets the answer to each, and returns its result. */
export type Dialog<Step, End> = AsyncGenerator<Step, End, string>;

/** Progress of a dialog: a step to show, or its end. */
export type DialogProgress<Step, End> = { kind: 'step'; id: string; step: Step } | { kind: 'end'; end: End };

export interface Dialogs<Step, End> {
  /** Ends another dialog about the same subject. `signal` is aborted when this one is given up. */
  begin(about: DialogSubject, open: (signal: AbortSignal) => Dialog<Step, End>): Promise<DialogProgress<Step, End>>;
  /**
   * Continues with an answer; without one the step is returned again. Undefined if there is no such dialog of this
   * identity.
   */
  resume(about: DialogSubject, id: string, answer?: string): Promise<DialogProgress<Step, End> | undefined>;
  /** Ends the one about this subject. */
  end(subject: string): void;
  /** Ends all. */
  stop(): void;
}

interface DialogSubject {
  subject: string;
  /** The identity that has the dialog: only the one that began can continue. */
  by: string;
}

interface DialogOptions<Step> {
  /** Whether a step has no answer: the dialog waits for something else to happen. */
  isWaiting(step: Step): boolean;
  /** How long a caller waits for that before it is shown the same step again. */
  waitMs: number;
  /** A dialog without an answer for this long has to be begun again. */
  expiryMs: number;
}

interface Entry<Step, End> extends DialogSubject {
  dialog: Dialog<Step, End>;
  giveUp: AbortController;
  step?: Step;
  /** What follows, while the dialog works on it. */
  next?: Promise<IteratorResult<Step, End>>;
  expiry?: NodeJS.Timeout;
}

/** Dialogs that go over several calls, one for each subject. They end with this process. */
export function createDialogs<Step, End>(options: DialogOptions<Step>): Dialogs<Step, End> {
  const entries = new Map<string, Entry<Step, End>>();

  function end(id: string): void {
    const entry = entries.get(id);
    entries.delete(id);
    clearTimeout(entry?.expiry);
    entry?.giveUp.abort();
  }

  function endAbout(subject: string): void {
    for (const [id, entry] of entries) if (entry.subject === subject) end(id);
  }

  /** The next step; the same one for all callers that wait for it. */
  function advance(entry: Entry<Step, End>, answer: string): Promise<IteratorResult<Step, End>> {
    entry.next ??= entry.dialog.next(answer).finally(() => {
      delete entry.next;
    });
    return entry.next;
  }

  async function progress(
    id: string,
    entry: Entry<Step, End>,
    next: Promise<IteratorResult<Step, End>>,
  ): Promise<DialogProgress<Step, End>> {
    try {
      const { done, value } = await next;
      if (done) {
        end(id);
        return { kind: 'end', end: value };
      }
      entry.step = value;
      clearTimeout(entry.expiry);
      entry.expiry = setTimeout(end, options.expiryMs, id).unref();
      return { kind: 'step', id, step: value };
    } catch (error) {
      end(id);
      throw error;
    }
  }

  return {
    async begin(about, open) {
      endAbout(about.subject);
      const giveUp = new AbortController();
      const id = randomUUID();
      const entry: Entry<Step, End> = { ...about, dialog: open(giveUp.signal), giveUp };
      entries.set(id, entry);
      return progress(id, entry, advance(entry, ''));
    },
    async resume({ subject, by }, id, answer) {
      const entry = entries.get(id);
      if (entry?.subject !== subject || entry.by !== by || entry.step === undefined) return undefined;
      const { step } = entry;
      if (options.isWaiting(step)) {
        const waited = sleep(options.waitMs, { done: false as const, value: step }, { ref: false });
        return progress(id, entry, Promise.race([advance(entry, ''), waited]));
      }
      return answer === undefined ? { kind: 'step', id, step } : progress(id, entry, advance(entry, answer));
    },
    end: endAbout,
    stop() {
      for (const id of entries.keys()) end(id);
    },
  };
}
