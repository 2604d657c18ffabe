import type { ParsedStanza, Reference } from './convert.ts';

const MOST = 20_000;

export interface References {
  /** Remembers the ids of a message. */
  note(said: ParsedStanza): void;
  /** The network's id of a referenced message, if it was seen. */
  find(chat: string, reference: Reference): string | undefined;
  /** The reverse: the sender's id of a message. */
  nameOf(chat: string, id: string): string | undefined;
}

/** Maps senders' ids to archive ids for recently seen messages. */
export function createReferences(most = MOST): References {
  const ids = new Map<string, string>();
  const names = new Map<string, string>();

  function find(chat: string, reference: Reference): string | undefined {
    if (reference.by === 'archive') return reference.id;
    const senders = reference.senders.length > 0 ? reference.senders : [''];
    for (const sender of senders) {
      const found = ids.get(key(chat, sender, reference.id));
      if (found !== undefined) return found;
    }
    return undefined;
  }

  return {
    find,
    note({ chat, sender, id, senderIds, what }) {
      if (what.kind === 'delete' || what.kind === 'reactions') return;
      // A correction of a correction may refer to either; both mean the first message.
      const target = what.kind === 'edit' ? (find(chat.id, what.target) ?? id) : id;
      for (const senderId of senderIds) {
        remember(ids, key(chat.id, sender.id, senderId), target, most);
        remember(ids, key(chat.id, '', senderId), target, most);
      }
      const [name] = senderIds;
      if (name !== undefined && target === id) remember(names, key(chat.id, id), name, most);
    },
    nameOf: (chat, id) => names.get(key(chat, id)),
  };
}

function key(...parts: string[]): string {
  return JSON.stringify(parts);
}

/** Maps keep insertion order: the first entry is the oldest. */
function remember(map: Map<string, string>, at: string, value: string, most: number): void {
  map.delete(at);
  map.set(at, value);
  const [oldest] = map.size > most ? map.keys() : [];
  if (oldest !== undefined) map.delete(oldest);
}
