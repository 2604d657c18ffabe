import type { ConversationId } from '../../domain/ids.ts';
import { type EndReason, runTurn, type TurnListener, type TurnParts } from './run-turn.ts';

interface RunningTurn {
  ending: AbortController;
  listeners: Set<TurnListener>;
  done: Promise<void>;
}

/** The turns that run in this process: one per conversation. */
export interface Turns {
  /** Runs a turn that has begun. Resolves when it has ended, or waits for a person. */
  run(id: ConversationId, listener?: TurnListener): Promise<void>;
  /** Ends a turn, and resolves when that is stored. Returns whether one was running. */
  end(id: ConversationId, reason: EndReason): Promise<boolean>;
  endAll(reason: EndReason): Promise<void>;
  isAnyRunning(): boolean;
}

export function createTurns(parts: TurnParts): Turns {
  const running = new Map<ConversationId, RunningTurn>();

  function start(id: ConversationId): RunningTurn {
    const ending = new AbortController();
    const listeners = new Set<TurnListener>();
    const listener = {
      onText(part: string) {
        for (const each of listeners) each.onText?.(part);
      },
      async onStep() {
        for (const each of listeners) await each.onStep?.();
      },
    };
    const done = runTurn(parts, id, ending.signal, listener).finally(() => running.delete(id));
    const turn = { ending, listeners, done };
    running.set(id, turn);
    return turn;
  }

  async function end(id: ConversationId, reason: EndReason): Promise<boolean> {
    const turn = running.get(id);
    turn?.ending.abort(reason);
    await turn?.done;
    return turn !== undefined;
  }

  return {
    async run(id, listener) {
      const turn = running.get(id) ?? start(id);
      if (listener) turn.listeners.add(listener);
      await turn.done;
    },
    end,
    async endAll(reason) {
      await Promise.all([...running.keys()].map((id) => end(id, reason)));
    },
    isAnyRunning: () => running.size > 0,
  };
}
