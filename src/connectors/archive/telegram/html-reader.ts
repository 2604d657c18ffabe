import type { ChatType, InboundEvent, Sender } from '../../../domain/chat.ts';
import { detached } from '../../../lib/detached.ts';
import { createLocalClock } from '../../../lib/local-time.ts';
import { type ImportInput, type ImportItem, whereIn } from '../importer.ts';
import { DELETED } from './convert.ts';
import { chatNameIn, type HtmlMessage, type HtmlTime, htmlMessageOf, isDateHeading } from './html-message.ts';
import { forwardedText } from './text.ts';

/** Reads the pages of one chat in their order. */
export interface HtmlReader {
  head(html: string): void;
  message(html: string, file: string): readonly ImportItem[];
  end(): readonly ImportItem[];
  /** Whether anything was found that only an export contains. */
  readonly isExport: boolean;
}

const MINUTE_MS = 60_000;
const UNSUPPORTED = /^This message is not supported by this version of Telegram Desktop/;
const NOTHING = 'No exported messages';
/** Senders that are counted, to know what kind of chat it is. */
const MAX_SENDERS = 1_000;
/** What the service says has no time. It waits for the next message, at most this many. */
const MAX_WAITING = 1_000;

export interface HtmlChat {
  /** Distinguishes chats of the same name. */
  folder: string;
  /** The folders of the chats by their names, of all chats of the export. */
  names: Map<string, string>;
  /** The name that the user gave. */
  wanted: string | undefined;
}

export function createHtmlReader({ folder, names, wanted }: HtmlChat, { timeZone, options }: ImportInput): HtmlReader {
  const toInstant = createLocalClock(timeZone);
  const senders = new Set<string>();
  const waiting: HtmlMessage[] = [];
  let chat = { id: folder, name: folder };
  let [isExport, isNamed, saidZone] = [false, false, false];
  let last: { at: number; from?: string; forwardedFrom?: string } = { at: Number.NEGATIVE_INFINITY };
  let isSameDay = false;

  function name(shown: string): void {
    const owner = names.get(shown) ?? folder;
    names.set(shown, owner);
    chat = { id: owner === folder ? shown : `${shown} (${folder})`, name: shown };
    isNamed = true;
  }

  function* timed({ local, offset }: HtmlTime): Generator<ImportItem, number | undefined> {
    const at = offset === undefined ? toInstant(local, last.at) : instantOf(local, offset);
    if (offset === undefined && !saidZone) {
      saidZone = true;
      yield { kind: 'assumed', what: 'time_zone', value: timeZone };
    }
    return at === undefined || at < 0 ? undefined : at;
  }

  function* spoken(message: HtmlMessage, file: string): Generator<ImportItem> {
    const at = message.time && (yield* timed(message.time));
    if (at === undefined) {
      yield { kind: 'skipped', why: 'no_time', where: whereIn(file, `message ${message.id}`) };
      return;
    }
    yield* served(at);
    const from = message.from ?? last.from ?? DELETED;
    const origin = message.isForwarded ? (message.forwardedFrom ?? last.forwardedFrom ?? DELETED) : undefined;
    last = { at, from, ...(origin === undefined ? {} : { forwardedFrom: origin }) };
    isSameDay = true;
    for (const event of toEvents(message, { id: from, name: from }, at, origin)) yield { kind: 'event', event };
  }

  function* toEvents(message: HtmlMessage, sender: Sender, at: number, origin?: string): Generator<InboundEvent> {
    const { id, media, replyTo, reactions } = message;
    if (senders.size < MAX_SENDERS) senders.add(detached(sender.id));
    const own = message.text || (media?.text ?? '');
    const text = origin === undefined ? own : forwardedText(origin, own);
    const contentType = media?.contentType ?? (own === '' ? 'unknown' : 'text');
    yield {
      kind: 'message',
      message: {
        chat,
        id,
        sender,
        ...(options.me === sender.name ? { isOwn: true } : {}),
        text,
        contentType,
        at,
        ...(replyTo === undefined ? {} : { replyTo }),
        ...(media?.attachment ? { attachments: [media.attachment] } : {}),
      },
    };
    const given = new Map<string, string[]>();
    for (const { sign, names: people } of reactions) {
      for (const person of people) given.set(person, [...(given.get(person) ?? []), sign]);
    }
    for (const [person, signs] of given)
      yield { kind: 'reactions', chat: chat.id, message: id, sender: { id: person, name: person }, signs, at };
  }

  /** What the service said before a message has its time, if nothing before it is of the same day. */
  function* served(at: number): Generator<ImportItem> {
    for (const { id, text } of waiting.splice(0)) {
      const sender = { id: chat.id, name: chat.name };
      yield {
        kind: 'event',
        event: { kind: 'message', message: { chat, id, sender, text, contentType: 'system', at } },
      };
    }
  }

  function* service(message: HtmlMessage, file: string): Generator<ImportItem> {
    if (isDateHeading(message.text) && message.id.startsWith('-')) {
      if (last.at >= 0) yield* served(last.at);
      isSameDay = false;
    } else if (UNSUPPORTED.test(message.text)) {
      yield { kind: 'skipped', why: 'unsupported', where: whereIn(file, `message ${message.id}`) };
    } else if (message.text !== '' && message.text !== NOTHING) {
      waiting.push(message);
      if (isSameDay) yield* served(last.at);
      else if (waiting.length > MAX_WAITING) {
        waiting.shift();
        yield { kind: 'skipped', why: 'no_time', where: whereIn(file, `message ${message.id}`) };
      }
    }
  }

  return {
    head(html) {
      const shown = isNamed ? undefined : (wanted ?? chatNameIn(html));
      if (shown !== undefined) name(shown);
    },
    message(html, file) {
      const message = htmlMessageOf(html);
      if (!message) return [{ kind: 'skipped', why: 'malformed', where: whereIn(file) }];
      isExport = true;
      return [...(message.isService ? service(message, file) : spoken(message, file))];
    },
    end() {
      if (!isExport) return [];
      const rest = last.at >= 0 ? [...served(last.at)] : [];
      return [
        ...rest,
        { kind: 'event', event: { kind: 'chat', chat: { ...chat, type: chatTypeOf(senders, chat.name) } } },
      ];
    },
    get isExport() {
      return isExport;
    },
  };
}

/** A page does not say what kind of chat it shows. */
function chatTypeOf(senders: ReadonlySet<string>, name: string): ChatType {
  if (!senders.has(name)) return 'group';
  return senders.size === 1 ? 'channel' : senders.size === 2 ? 'direct' : 'group';
}

function instantOf(local: HtmlTime['local'], offset: number): number | undefined {
  const { year, month, day, hour, minute, second } = local;
  const date = new Date(Date.UTC(year, month - 1, day));
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day || hour > 23 || minute > 59) return undefined;
  return Date.UTC(year, month - 1, day, hour, minute, second) - offset * MINUTE_MS;
}
