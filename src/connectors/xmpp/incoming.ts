import { bareJid, parseJid } from './jid.ts';
import { NS } from './namespaces.ts';
import type { Element } from './xml.ts';

/** A carbon copy of another device's message; accepted from the own server only. */
export function carbonIn(stanza: Element, self: string): Element | undefined {
  if (bareJid(stanza.attrs.from ?? self) !== self) return undefined;
  const carbon = stanza.getChild('sent', NS.carbons) ?? stanza.getChild('received', NS.carbons);
  return carbon?.getChild('forwarded', NS.forward)?.getChild('message');
}

/** Delayed messages have a timestamp. It is accepted from servers only, so that a sender cannot forge the past. */
export function timestampOf(message: Element, self: string, now: number): number {
  const keeper = message.attrs.type === 'groupchat' ? bareJid(message.attrs.from ?? '') : self;
  const delay = message
    .getChildren('delay', NS.delay)
    .find(({ attrs }) => attrs.from === keeper || attrs.from === parseJid(keeper).domain);
  const stamp = Date.parse(delay?.attrs.stamp ?? '');
  return Number.isNaN(stamp) ? now : Math.min(stamp, now);
}
