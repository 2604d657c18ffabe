import { type FindNamed, onlyNamed, parseChatEntry } from './chat-entry.ts';
import type { Principal } from './principal.ts';

declare module './principal.ts' {
  interface TokenFacts {
    /** The only chats it may read, as `SOURCE:ID`, `SOURCE:name:NAME` or `SOURCE:*`; all where it is missing. */
    readonly chats?: readonly string[] | undefined;
    /** The only chats it may send to; the same as `chats` where it is missing. */
    readonly sendChats?: readonly string[] | undefined;
  }
}

/** A chat as far as grants check it. */
export interface GrantedChat {
  source: string;
  id: string;
}

/** Chats that a principal may see, or send to. */
export interface Grants {
  /** All chats of all sources. */
  readonly everything: boolean;
  /** Each source that something is granted of: all of it, or the ids of chats. */
  readonly sources: ReadonlyMap<string, '*' | readonly string[]>;
  includes(chat: GrantedChat): boolean;
}

const ALL_OF_IT = '*';

/**
 * From a list of `SOURCE:ID` and `SOURCE:*`; no list grants everything, an empty one nothing. A name grants nothing until
 * `withGrantedIds` has replaced it.
 */
export function grantsOf(list: readonly string[] | undefined): Grants {
  if (list === undefined) return { everything: true, sources: new Map(), includes: () => true };
  const sources = new Map<string, '*' | readonly string[]>();
  for (const { source, chat } of list.map(parsed)) {
    if (parseChatEntry(chat).kind === 'name') continue;
    const before = sources.get(source) ?? [];
    sources.set(source, before === ALL_OF_IT || chat === ALL_OF_IT ? ALL_OF_IT : [...before, chat]);
  }
  return {
    everything: false,
    sources,
    includes({ source, id }) {
      const granted = sources.get(source) ?? [];
      return granted === ALL_OF_IT || granted.includes(id);
    },
  };
}

export function readGrants({ chats }: Principal): Grants {
  return grantsOf(chats);
}

/** A token without a list for sending may send where it may read. */
export function sendGrants({ chats, sendChats }: Principal): Grants {
  return grantsOf(sendChats ?? chats);
}

/**
 * The list with names replaced by the ids of the chats that bear them. A name that no chat or several chats of its source
 * bear is left out: anyone may call a chat by a granted name.
 */
export async function withGrantedIds(list: readonly string[], find: FindNamed): Promise<readonly string[]> {
  const resolved = await Promise.all(
    list.map(async (grant) => {
      const { source, chat } = parsed(grant);
      const entry = parseChatEntry(chat);
      if (entry.kind === 'id') return grant;
      const only = await onlyNamed(find, entry.name, source);
      return only && `${source}:${only.id}`;
    }),
  );
  return resolved.filter((grant) => grant !== undefined);
}

/** Whether the principal may read only some chats. */
export function isConfined({ chats }: Principal): boolean {
  return chats !== undefined;
}

/** Whether a list grants no more than its grantor has; a name may come to mean another chat, so it takes the whole source. */
export function isWithin(list: readonly string[] | undefined, giver: Grants): boolean {
  if (giver.everything) return true;
  if (list === undefined) return false;
  return list.map(parsed).every(({ source, chat }) => {
    const granted = giver.sources.get(source) ?? [];
    return granted === ALL_OF_IT || (chat !== ALL_OF_IT && granted.includes(chat));
  });
}

/** `SOURCE:CHAT`; the text after the first colon is the chat, which may contain colons. */
export function isGrant(text: string): boolean {
  return /^[^:\s*]+:./su.test(text);
}

function parsed(grant: string): { source: string; chat: string } {
  const colon = grant.indexOf(':');
  return { source: grant.slice(0, colon), chat: grant.slice(colon + 1) };
}
