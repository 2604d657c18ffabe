import type { ParsedStanza, Reference } from './convert.ts';

const MOST = 20_000;

export interface References {
  /** Remembers by which ids others may refer to it. */
  note(said: ParsedStanza): void;
  /** The network's id of the message that is meant, where it was seen. */
  find(chat: string, reference: Reference): string | undefined;
  /** The other way round: what its sender calls a message. */
  nameOf(chat: string, id: string): string | undefined;
}

/**
 * People refer to messages by ids that their senders gave them, and we by the archive's. This is what was seen last of
 * which is which.
 */
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
      // Who corrects a correction may name either; both mean the first message.
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

/** A map is in the order in which things were put into it: the first is the one that was seen longest ago. */
function remember(map: Map<string, string>, at: string, value: string, most: number): void {
  map.delete(at);
  map.set(at, value);
  const [oldest] = map.size > most ? map.keys() : [];
  if (oldest !== undefined) map.delete(oldest);
}
