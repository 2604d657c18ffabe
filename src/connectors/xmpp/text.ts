import { NS } from './namespaces.ts';
import type { Element } from './xml.ts';

/** The text without fallbacks for older clients; undefined without a body. */
export function textOf(message: Element): string | undefined {
  const bodies = message.getChildren('body');
  const body = bodies.find(({ attrs }) => attrs['xml:lang'] === undefined) ?? bodies[0];
  if (!body) return undefined;
  const text = message.getChild('reply', NS.reply) ? withoutQuote(body.getText(), message) : body.getText();
  const subject = message.attrs.type === 'groupchat' ? '' : message.getChildText('subject');
  return subject ? `${subject}\n${text}` : text;
}

/** XEP-0461: the quoted text is part of the body; the message gives its range in characters. */
function withoutQuote(text: string, message: Element): string {
  const quotes = message.getChildren('fallback', NS.fallback).filter(({ attrs }) => attrs.for === NS.reply);
  const ranges = quotes.flatMap((quote) => quote.getChildren('body'));
  if (ranges.length === 0) return text;
  const characters = Array.from(text);
  for (const { attrs } of ranges) {
    const [start, end] = [place(attrs.start, 0), place(attrs.end, characters.length)];
    if (start !== undefined && end !== undefined) characters.fill('', start, end);
  }
  return characters.join('');
}

function place(text: string | undefined, usual: number): number | undefined {
  if (text === undefined) return usual;
  return /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}

/** Elements about messages and people, which are not content. */
const SIGNALS: ReadonlySet<string> = new Set([
  'http://jabber.org/protocol/chatstates',
  'http://jabber.org/protocol/pubsub#event',
  'http://jabber.org/protocol/caps',
  'jabber:x:event',
  'urn:xmpp:receipts',
  'urn:xmpp:chat-markers:0',
  'urn:xmpp:idle:1',
  'urn:xmpp:mds:displayed:0',
  'vcard-temp:x:update',
  NS.hints,
  NS.delay,
  NS.ids,
  NS.carbons,
  NS.mucUser,
  NS.nick,
  NS.occupantId,
  NS.fallback,
]);

/** Whether there is content besides signals, even if it is of an unknown type. */
export function isWorthKeeping(message: Element): boolean {
  return message.getChildElements().some((child) => child.name !== 'thread' && !SIGNALS.has(child.getNS() ?? ''));
}
