import type { ChatType, InboundMessage, Sender } from '../../src/domain/chat.ts';
import { CHAT_SCRIPTS, type ChatScript, LATIN } from './chat-scripts.ts';
import { chatText } from './chat-texts.ts';
import { byShare, randomFrom, wordOf, zipf } from './generated-words.ts';

/** Conversations as people have them, the same at every run. */
export interface ChatCorpus {
  readonly messages: number;
  /** Timestamps of the first and, approximately, the last message. */
  readonly from: number;
  readonly to: number;
  /** The messages are in order of time. */
  message(index: number): SourcedMessage;
  /** Every so many messages, beginning with the first one, is in a small chat. */
  readonly smallEvery: number;
  sender(rank: number): Sender;
}

export interface SourcedMessage {
  source: string;
  message: InboundMessage;
}

/** The source of the largest chat is the first one. */
export const CHAT_SOURCES = ['irc', 'list', 'slack', 'discord', 'whatsapp', 'telegram'] as const;

const YEARS = 3;
const SENDERS = 5_000;
const SMALL_CHATS = 20_000;
const MIDDLE_CHATS = 1_600;
/** Most chats are in one language; some of what is written in them is not. */
const LATIN_ANYWHERE = 0.1;
const END = Date.UTC(2026, 10, 1);
const FROM = END - YEARS * 365.25 * 86_400_000;

/**
 * A third of all messages is in one chat, a tenth is spread over 20,000 small ones (a third, if there are so few that not all
 * would have one), and the rest over chats of all sizes.
 */
export function createChatCorpus(messages: number): ChatCorpus {
  const step = (END - FROM) / messages;
  const middle = zipf(MIDDLE_CHATS, 5);
  const senders = zipf(SENDERS, 1);
  const smallEvery = Math.min(10, Math.max(3, Math.floor(messages / (2 * SMALL_CHATS))));

  function chatOf(index: number, random: number): number {
    if (index % smallEvery === 0) return 1 + MIDDLE_CHATS + (Math.floor(index / smallEvery) % SMALL_CHATS);
    const large = 1 / 3 / (1 - 1 / smallEvery);
    return random < large ? 0 : 1 + middle((random - large) / (1 - large));
  }

  function message(index: number): SourcedMessage {
    const random = randomFrom(index + 1);
    const chat = chatAt(chatOf(index, random()));
    const by = sender(senders(random()));
    const at = Math.floor(FROM + (index + random()) * step);
    const text = chatText(random, random() < LATIN_ANYWHERE ? LATIN : chat.script);
    return {
      source: chat.source,
      message: {
        chat: chat.inbound,
        id: `m${index}`,
        sender: by,
        text,
        at,
        ...(by.id === 'user3' ? { isOwn: true } : {}),
      },
    };
  }

  return {
    messages,
    from: FROM,
    to: END,
    message,
    smallEvery,
    sender,
  };
}

interface CorpusChat {
  source: string;
  inbound: { id: string; name: string; type: ChatType };
  script: ChatScript;
}

const chats = new Map<number, CorpusChat>();

/** Chat 0 is the largest; from 1,601 on they are small. */
function chatAt(rank: number): CorpusChat {
  const known = chats.get(rank);
  if (known) return known;
  const random = randomFrom(rank + 1_000_003);
  const type: ChatType = rank === 0 ? 'channel' : rank > MIDDLE_CHATS && random() < 0.6 ? 'direct' : 'group';
  const name = type === 'direct' ? `${wordOf(rank * 7)} ${wordOf(rank * 13 + 1)}` : `#${wordOf(rank)}`;
  const made: CorpusChat = {
    source: CHAT_SOURCES[rank === 0 ? 0 : Math.floor(random() * CHAT_SOURCES.length)] ?? CHAT_SOURCES[0],
    inbound: { id: `chat${rank}`, name, type },
    script: rank === 0 ? LATIN : byShare(CHAT_SCRIPTS, random()),
  };
  chats.set(rank, made);
  return made;
}

const sender = (rank: number) => ({
  id: `user${rank}`,
  name: `${wordOf(rank * 7)}${rank % 3 === 0 ? '' : ` ${wordOf(rank * 13 + 1)}`}`,
});
