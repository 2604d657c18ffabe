import type { OutboxCaller, OutboxItem } from '../domain/outbox.ts';
import { answerableIdentity } from '../domain/principal.ts';
import { MAX_READ_CHATS, type ReadChat } from '../domain/read-chats.ts';
import type { Clock } from '../lib/clock.ts';
import type { ReadStore } from './ports.ts';

export interface SessionReadsParts {
  store: Pick<ReadStore, 'add' | 'list' | 'clear'>;
  clock: Clock;
}

/** A session as the outbox records it; undefined for the person, who is not an agent that untrusted text could instruct. */
type SessionKey = string | undefined;

type Reader = Pick<OutboxItem, 'session' | 'identity'>;

/**
 * Which chats each session has read since its last approval. REST, commands of agents and clients without sessions share one
 * session per principal. A principal that mixes it with sessions gains nothing: what was read in the shared one counts in every
 * session, and what was read in any session counts in the shared one.
 */
export interface SessionReads {
  keyOf(caller: OutboxCaller): Promise<SessionKey>;
  /** Called with what an answer contains, before it is delivered. Stores only what is new. */
  note(caller: OutboxCaller, chats: readonly Pick<ReadChat, 'source' | 'chat' | 'name'>[]): Promise<void>;
  of(reader: Reader): Promise<readonly ReadChat[]>;
  /** What the one has read counts for the other, too. */
  share(from: OutboxCaller, to: OutboxCaller): Promise<void>;
  /**
   * Stores an item of this session. It may be held, now or when the policy becomes stricter: what is read from now on counts
   * beyond its approval, also what was read before.
   */
  submitting<T>(reader: Reader, submit: () => Promise<T>): Promise<T>;
  /** This item has been approved: what its session had read before does not count any more. */
  approved(item: Reader & Pick<OutboxItem, 'createdAt'>): Promise<void>;
}

/** Sessions whose recorded chats are remembered, so that reading a chat again writes nothing. */
const MAX_SESSIONS = 1_000;

export function createSessionReads({ store, clock }: SessionReadsParts): SessionReads {
  /** Chats that the store has; a session that is missing here may still have some there. */
  const recorded = new Map<string, Set<string>>();
  /** Sessions that are submitting an item, with the number of these: everything that they read meanwhile is written. */
  const submitting = new Map<string, number>();

  function count(key: string, change: 1 | -1): void {
    const now = (submitting.get(key) ?? 0) + change;
    if (now === 0) submitting.delete(key);
    else submitting.set(key, now);
    recorded.delete(key);
  }

  function recordedOf(key: string): Set<string> {
    const found = recorded.get(key);
    // Each call to another server comes here. The order matters only when some are about to be left out.
    if (found && recorded.size <= MAX_SESSIONS / 2) return found;
    const known = found ?? new Set();
    // Moved to the end: the first one is the one that was not used for longest.
    recorded.delete(key);
    recorded.set(key, known);
    const [oldest] = recorded.keys();
    if (recorded.size > MAX_SESSIONS && oldest !== undefined) recorded.delete(oldest);
    return known;
  }

  async function keyOf({ session, principal, isPerson }: OutboxCaller): Promise<SessionKey> {
    if (isPerson && (await isPerson())) return undefined;
    return session ?? sharedKey(answerableIdentity(principal));
  }

  /** Undefined where the store has all of them. */
  function record(key: string, chats: readonly Omit<ReadChat, 'at'>[]): Promise<void> | undefined {
    const known = submitting.has(key) ? new Set<string>() : recordedOf(key);
    if (known.size > MAX_READ_CHATS) return;
    const added = chats.filter((chat) => !known.has(chatKey(chat)));
    return added.length === 0 ? undefined : keep(key, added, known);
  }

  async function keep(key: string, added: readonly Omit<ReadChat, 'at'>[], known: Set<string>): Promise<void> {
    const at = clock.now();
    await store.add(
      key,
      added.map((chat) => ({ ...chat, at })),
    );
    // Beyond the limit the store has one entry for all chats, so that no other has to be recorded.
    for (const chat of added.slice(0, MAX_READ_CHATS + 1)) known.add(chatKey(chat));
  }

  async function note(caller: OutboxCaller, chats: readonly Omit<ReadChat, 'at'>[]): Promise<void> {
    if (chats.length === 0) return;
    const key = await keyOf(caller);
    if (key === undefined) return;
    for (const reader of [key, anyKey(answerableIdentity(caller.principal))]) {
      const recording = record(reader, chats);
      if (recording) await recording;
    }
  }

  async function of(reader: Reader): Promise<readonly ReadChat[]> {
    const lists = await Promise.all(countedKeys(reader).map((key) => store.list(key)));
    return lists.flat().sort((a, b) => a.at - b.at);
  }

  return {
    keyOf,
    note,
    of,
    async share(from, to) {
      const session = await keyOf(from);
      if (session === undefined) return;
      const read = await of({ session, identity: answerableIdentity(from.principal) });
      await note(
        to,
        read.map(({ source, chat, name }) => ({ source, chat, name })),
      );
    },
    async submitting(reader, submit) {
      const keys = clearedKeys(reader);
      for (const key of keys) count(key, 1);
      try {
        return await submit();
      } finally {
        for (const key of keys) count(key, -1);
      }
    },
    async approved({ createdAt, ...reader }) {
      for (const key of clearedKeys(reader)) {
        recorded.delete(key);
        await store.clear(key, createdAt);
      }
    },
  };
}

/** The records that count for an item of this session. */
function countedKeys({ session, identity }: Reader): string[] {
  if (session === undefined || identity === undefined) return [];
  return session === sharedKey(identity) ? [anyKey(identity)] : [session, sharedKey(identity)];
}

/** The records that an approval of an item of this session clears. */
function clearedKeys(reader: Reader): string[] {
  const { session } = reader;
  return session === undefined ? [] : [...new Set([...countedKeys(reader), session])];
}

/** Ids of sessions contain no spaces. */
function sharedKey(identity: string): string {
  return `shared ${identity}`;
}

function anyKey(identity: string): string {
  return `any ${identity}`;
}

function chatKey({ source, chat }: Omit<ReadChat, 'at'>): string {
  return `${source}\n${chat}`;
}
