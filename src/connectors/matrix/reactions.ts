import { z } from 'zod';
import type { Memory } from '../connector.ts';
import type { ReactionEvent } from './convert.ts';

export interface Reactions {
  note(event: string, reaction: ReactionEvent): void;
  find(event: string): ReactionEvent | undefined;
  /** Stores what was noted since the last time. Called before the place in the room moves on. */
  save(memory: Memory): Promise<void>;
}

/** How many are kept: so many parts, which are stored one at a time and then overwritten from the first on. */
interface Limits {
  parts: number;
  perPart: number;
}

const LIMITS: Limits = { parts: 200, perPart: 100 };
/** Of a reaction that is remembered: anyone may send one of 64 KB, and a part is stored as a whole. */
const MAX_ROW = 2_000;

const Row = z.tuple([z.string(), z.string(), z.string(), z.string(), z.string(), z.string(), z.number()]);
const StoredPart = z.object({ number: z.int().min(0), rows: z.array(Row) });
type StoredPart = z.output<typeof StoredPart>;

/**
 * A reaction is removed by redacting its event, which then no longer has its content; so the latest reactions are
 * remembered, also across restarts.
 */
export async function recallReactions(memory: Memory, limits = LIMITS): Promise<Reactions> {
  const kept = new Map<string, ReactionEvent>();
  const stored = await storedParts(memory, limits);
  for (const { rows } of stored) for (const row of rows) keep(...reactionOf(row));
  let part = stored.at(-1) ?? { number: 0, rows: [] };
  const unsaved = new Map<number, StoredPart>();

  function keep(event: string, reaction: ReactionEvent): void {
    kept.set(event, reaction);
    if (kept.size <= limits.parts * limits.perPart) return;
    for (const oldest of kept.keys()) return void kept.delete(oldest);
  }

  return {
    note(event, reaction) {
      const row = rowOf(event, reaction);
      if (kept.has(event) || JSON.stringify(row).length > MAX_ROW) return;
      keep(event, reaction);
      if (part.rows.length >= limits.perPart) part = { number: part.number + 1, rows: [] };
      part.rows.push(row);
      unsaved.set(part.number, part);
    },
    find: (event) => kept.get(event),
    async save(memory) {
      for (const [number, each] of [...unsaved]) {
        unsaved.delete(number);
        try {
          await memory.set(keyOf(number % limits.parts), JSON.stringify(each));
        } catch (error) {
          unsaved.set(number, each);
          throw error;
        }
      }
    },
  };
}

/** Oldest first. */
async function storedParts(memory: Memory, { parts }: Limits): Promise<StoredPart[]> {
  const found: StoredPart[] = [];
  for (let index = 0; index < parts; index++) {
    const text = await memory.get(keyOf(index));
    const part = text === undefined ? undefined : partIn(text);
    if (!part) break;
    found.push(part);
  }
  return found.sort((one, other) => one.number - other.number);
}

/** Undefined if it cannot be parsed. */
function partIn(text: string): StoredPart | undefined {
  try {
    return StoredPart.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}

function keyOf(index: number): string {
  return `reactions ${index}`;
}

function rowOf(event: string, { chat, message, sender, sign, at }: ReactionEvent): z.output<typeof Row> {
  return [event, chat, message, sender.id, sender.name, sign, at];
}

function reactionOf([event, chat, message, id, name, sign, at]: z.output<typeof Row>): [string, ReactionEvent] {
  return [event, { kind: 'reaction', chat, message, sender: { id, name }, sign, at }];
}
