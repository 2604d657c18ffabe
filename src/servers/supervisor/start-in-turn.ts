import { setTimeout as sleep } from 'node:timers/promises';

export interface TurnOptions {
  /** How many start at the same time. */
  atOnce: number;
  /** The next one starts after so long at the latest: a server that hangs delays no other for longer. */
  longestTurnMs: number;
  signal: AbortSignal;
}

/**
 * Starts a few at a time. Starting is mostly processor time of the servers, so that more at once would not be ready sooner,
 * while clients would wait for all of them. Resolves when the last one has been started.
 */
export async function startInTurn(
  starts: Iterable<() => Promise<unknown> | undefined>,
  { atOnce, longestTurnMs, signal }: TurnOptions,
): Promise<void> {
  const turns = starts[Symbol.iterator]();

  async function take(): Promise<void> {
    for (let turn = turns.next(); !turn.done && !signal.aborted; turn = turns.next()) {
      const started = turn.value();
      if (started) await withinTurn(started.catch(() => {}));
    }
  }

  async function withinTurn(started: Promise<unknown>): Promise<void> {
    const ended = new AbortController();
    const turn = AbortSignal.any([ended.signal, signal]);
    await Promise.race([started, sleep(longestTurnMs, undefined, { signal: turn, ref: false }).catch(() => {})]);
    ended.abort();
  }

  await Promise.all(Array.from({ length: atOnce }, take));
}
