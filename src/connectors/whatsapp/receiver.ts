import type { BinaryNode, WAMessage, WASocket } from 'baileys';
import type { InboundEvent } from '../../domain/chat.ts';
import type { Host } from '../connector.ts';
import { type Surroundings, toEvents } from './convert.ts';
import type { Fields } from './fields.ts';
import type { Groups } from './groups.ts';
import type { HistoryChunk } from './history.ts';
import { parseJid } from './jids.ts';
import type { Library } from './library.ts';
import type { People } from './people.ts';
import type { Recent } from './recent.ts';
import { libraryLog } from './socket.ts';

interface ReceiverParts {
  library: Library;
  sock: WASocket;
  host: Host;
  people: People;
  groups: Groups;
  recent: Recent;
}

const CIPHERTEXT = 2;
/** Messages that the library reports soon after they were stored. */
const MOST_STORED = 5_000;
const MOST_UNREADABLE = 1_000;

/** Turns what arrives into events: messages as the server delivers them, and parts of the history. */
export function createReceiver({ library, sock, host, people, groups, recent }: ReceiverParts) {
  const log = libraryLog(host.log);
  const { lidMapping } = sock.signalRepository;
  const stored = new Set<string>();
  const unreadable = new Set<string>();

  function me(): { id: string; lid: string } {
    const { id = '', lid = '' } = sock.authState.creds.me ?? {};
    return { id, lid };
  }

  function surroundings(): Surroundings {
    return {
      me: people.idOf(me().id) ?? '',
      idOf: people.idOf,
      nameOf: people.nameOf,
      isAdmin: groups.isAdmin,
    };
  }

  /** Undefined if it cannot be decrypted: the library then asks the sender for it again. */
  async function open(node: BinaryNode): Promise<WAMessage | undefined> {
    if (node.attrs.from === 'status@broadcast') return undefined;
    try {
      const { id, lid } = me();
      const { fullMessage, decrypt } = library.decryptMessageNode(node, id, lid, sock.signalRepository, log);
      await learnAddress(fullMessage);
      await decrypt();
      if (fullMessage.messageStubType === CIPHERTEXT) {
        if (node.attrs.id !== undefined && node.attrs.category !== 'peer')
          bounded(unreadable, node.attrs.id, MOST_UNREADABLE);
        return undefined;
      }
      library.cleanMessage(fullMessage, id, lid);
      return fullMessage;
    } catch (err) {
      host.log.debug({ err }, 'a message of WhatsApp is not valid');
      return undefined;
    }
  }

  /** A message carries both addresses of its sender: phone number and LID. */
  async function learnAddress({ key }: WAMessage): Promise<void> {
    const [one, other] = [key.participant || key.remoteJid, key.participantAlt || key.remoteJidAlt].map((jid) =>
      parseJid(jid),
    );
    if (!one || !other || one.server === other.server) return;
    const [lid, pn] = one.server === 'lid' ? [one, other] : [other, one];
    const mine = parseJid(me().id)?.user;
    if (lid.server !== 'lid' || pn.server !== 's.whatsapp.net' || (key.fromMe && pn.user === mine)) return;
    await lidMapping.storeLIDPNMappings([{ lid: `${lid.user}@lid`, pn: `${pn.user}@s.whatsapp.net` }]);
  }

  /** The events of messages in their order. */
  function eventsOf(messages: readonly WAMessage[]): InboundEvent[] {
    const at = surroundings();
    return messages.flatMap((message) => {
      const { key, pushName } = message;
      if (!key.fromMe) people.learnName(key.participant || key.remoteJid, 'own', pushName);
      const events = toEvents(message as unknown as Fields, at);
      for (const event of events) if (event.kind === 'message') remember(event.message, message);
      if (key.id) unreadable.delete(key.id);
      bounded(stored, nameOf(message), MOST_STORED);
      return events;
    });
  }

  function remember({ chat, id, text }: { chat: { id: string }; id: string; text: string }, { key }: WAMessage): void {
    const author = key.fromMe ? me().id : key.participant || key.remoteJid;
    if (author) recent.add(chat.id, id, { author: library.jidNormalizedUser(author), text });
  }

  /** Oldest first; the phone sends the messages of a chat newest first. */
  async function eventsOfHistory({
    chats,
    contacts,
    messages,
    lidPnMappings = [],
  }: HistoryChunk): Promise<InboundEvent[]> {
    await lidMapping.storeLIDPNMappings([...lidPnMappings]);
    for (const { id, name, notify } of contacts) {
      people.learnName(id, 'book', name);
      people.learnName(id, 'own', notify);
    }
    const groupChats = chats.flatMap(({ id, name, participant }): InboundEvent[] => {
      if (!id?.endsWith('@g.us') || !name) return [];
      const count = participant?.length ? { participantCount: participant.length } : {};
      return [{ kind: 'chat', chat: { id, type: 'group', name, ...count } }];
    });
    return [...groupChats, ...eventsOf(messages.toReversed())];
  }

  return {
    open,
    eventsOf,
    eventsOfHistory,
    /** Messages that the library made itself, such as notes about groups, or got from the phone. */
    othersOf: (messages: readonly WAMessage[]) =>
      eventsOf(messages.filter((message) => message.messageStubType !== CIPHERTEXT && !stored.has(nameOf(message)))),
    unreadable: () => unreadable.size,
  };
}

function nameOf({ key }: WAMessage): string {
  return `${key.remoteJid} ${key.id}`;
}

/** Adds a value; the oldest gives way. */
function bounded(values: Set<string>, value: string, most: number): void {
  values.add(value);
  const [oldest] = values;
  if (values.size > most && oldest !== undefined) values.delete(oldest);
}
