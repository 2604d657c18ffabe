import type { ReactionEvent } from './convert.ts';

export interface Reactions {
  note(event: string, reaction: ReactionEvent): void;
  find(event: string): ReactionEvent | undefined;
}

const MAX_KEPT = 20_000;

/**
 * A reaction is removed by redacting its event, which then no longer has its content; so the latest reactions are
 * remembered.
 */
export function createReactions(mostKept = MAX_KEPT): Reactions {
  const kept = new Map<string, ReactionEvent>();
  return {
    note(event, reaction) {
      kept.set(event, reaction);
      if (kept.size <= mostKept) return;
      for (const oldest of kept.keys()) return void kept.delete(oldest);
    },
    find: (event) => kept.get(event),
  };
}
