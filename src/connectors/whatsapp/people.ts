import type { InboundEvent } from '../../domain/chat.ts';
import { nameOf } from './auth-state.ts';
import { formatJid, isPerson, type Jid, parseJid, phoneNumberIn } from './jids.ts';
import type { SealedEntries } from './sealed-entries.ts';

/** Where the names of a person come from; the user's own address book wins. */
type NameKind = 'book' | 'own';

export interface People {
  /** The one id of a person, whether addressed by phone number or by LID; other ids are only normalized. */
  idOf(jid: string | null | undefined): string | undefined;
  /** The name to show: from the address book, then what the person calls themselves. */
  nameOf(id: string): string | undefined;
  /** Returns whether the shown name changed. */
  learnName(jid: string | null | undefined, kind: NameKind, name: string | null | undefined): boolean;
  isMe(id: string): boolean;
  /** These events are stored: who is in them by LID keeps that id, even if the phone number becomes known. */
  keepIds(events: readonly InboundEvent[]): void;
}

const CONTACT = 'contact';
/** People whose chats were stored by LID, because their phone number was not known: they keep that id. */
const STORED_BY_LID = 'stored-by-lid';
const LONGEST_NAME = 200;

export function createPeople(entries: SealedEntries, me: () => { id: string; lid?: string | undefined }): People {
  function idOf(text: string | null | undefined): string | undefined {
    const jid = parseJid(text);
    if (!jid) return undefined;
    return formatJid(isPerson(jid) ? person(jid) : jid);
  }

  function person(jid: Jid): Jid {
    if (jid.server === 's.whatsapp.net') {
      const lid = mapped(jid.user);
      return lid !== undefined && entries.get(nameOf(STORED_BY_LID, lid)) ? { user: lid, server: 'lid' } : jid;
    }
    if (entries.get(nameOf(STORED_BY_LID, jid.user))) return jid;
    const phone = mapped(`${jid.user}_reverse`);
    if (phone !== undefined) return { user: phone, server: 's.whatsapp.net' };
    const own = [me().id, me().lid].map((id) => parseJid(id));
    return own[1]?.user === jid.user && own[0] ? own[0] : jid;
  }

  /** The library stores pairs of phone number and LID in both directions. */
  function mapped(key: string): string | undefined {
    const text = entries.get(nameOf('lid-mapping', key));
    const value: unknown = text === undefined ? undefined : JSON.parse(text);
    return typeof value === 'string' ? value : undefined;
  }

  function namesOf(id: string): Partial<Record<NameKind, string>> {
    const text = entries.get(nameOf(CONTACT, id));
    return text === undefined ? {} : JSON.parse(text);
  }

  function shownName(id: string): string | undefined {
    const { book, own } = namesOf(id);
    return book ?? own;
  }

  return {
    idOf,
    nameOf: (id) => shownName(id) ?? phoneNumberIn(id),
    learnName(jid, kind, text) {
      const [id, name] = [idOf(jid), text?.trim().slice(0, LONGEST_NAME)];
      if (id === undefined || !name) return false;
      const [names, before] = [namesOf(id), shownName(id)];
      if (names[kind] === name) return false;
      entries.change([[nameOf(CONTACT, id), JSON.stringify({ ...names, [kind]: name })]]);
      return shownName(id) !== before;
    },
    isMe: (id) => id === idOf(me().id) || id === idOf(me().lid),
    keepIds(events) {
      const ids = new Set(events.flatMap(idsIn).filter((id) => id.endsWith('@lid')));
      const fresh = [...ids].map((id) => nameOf(STORED_BY_LID, id.slice(0, -'@lid'.length)));
      const unknown = fresh.filter((name) => entries.get(name) === undefined);
      if (unknown.length > 0) entries.change(unknown.map((name) => [name, '1']));
    },
  };
}

function idsIn(event: InboundEvent): string[] {
  if (event.kind === 'message') return [event.message.chat.id, event.message.sender.id];
  if (event.kind === 'chat') return [event.chat.id];
  const { sender } = event;
  return [event.chat, ...(sender === undefined ? [] : [typeof sender === 'string' ? sender : sender.id])];
}
