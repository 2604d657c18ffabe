import type { InboundEvent } from '../../domain/chat.ts';
import type { Host } from '../connector.ts';
import { bareJid } from './jid.ts';
import { NS } from './namespaces.ts';
import type { XmppStream } from './stream.ts';
import { type Element, xml } from './xml.ts';

/** The user's names for contacts. */
export function createRoster(stream: XmppStream, host: Pick<Host, 'accept' | 'log'>) {
  const names = new Map<string, string>();

  async function take(query: Element | undefined): Promise<void> {
    const people = query?.getChildren('item').filter(({ attrs }) => attrs.jid) ?? [];
    const events = people.flatMap(({ attrs }): InboundEvent[] => {
      const jid = bareJid(attrs.jid ?? '');
      if (attrs.name && attrs.subscription !== 'remove') names.set(jid, attrs.name);
      else names.delete(jid);
      if (attrs.subscription === 'remove') return [];
      return [{ kind: 'chat', chat: { id: jid, name: names.get(jid) ?? jid, type: 'direct', participantCount: 2 } }];
    });
    if (events.length > 0) await host.accept(events);
  }

  return {
    nameOf: (jid: string): string | undefined => names.get(jid),
    async fetch(): Promise<void> {
      const answer = await stream.request('get', xml('query', NS.roster));
      await take(answer.getChild('query', NS.roster));
    },
    /** A roster push; accepted from the own server only. */
    onPush(iq: Element): boolean {
      const query = iq.attrs.type === 'set' ? iq.getChild('query', NS.roster) : undefined;
      if (!query || bareJid(iq.attrs.from ?? stream.self) !== stream.self) return false;
      take(query).catch((err: unknown) => host.log.warn({ err }, 'a change of the roster could not be stored'));
      return true;
    },
  };
}
