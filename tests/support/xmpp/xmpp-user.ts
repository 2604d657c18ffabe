import { randomUUID } from 'node:crypto';
import { createArchive } from '../../../src/connectors/xmpp/archive.ts';
import { senderIdsOf, stampedId } from '../../../src/connectors/xmpp/convert.ts';
import { bareJid } from '../../../src/connectors/xmpp/jid.ts';
import { NS } from '../../../src/connectors/xmpp/namespaces.ts';
import { openStream } from '../../../src/connectors/xmpp/stream.ts';
import { type Element, xml } from '../../../src/connectors/xmpp/xml.ts';
import { DOMAIN } from './prosody.ts';

const LIMIT_MS = 60_000;

/** A user on an XMPP server, whose client reads and writes raw stanzas. */
export async function xmppUser(port: number, user: string, { resource = `test-${user}` } = {}) {
  const stream = await openStream(
    { domain: DOMAIN, user, password: `pw-${user}`, resource, service: `xmpp://127.0.0.1:${port}`, tls: false },
    AbortSignal.timeout(LIMIT_MS),
  );
  const archive = createArchive(stream);
  const seen: Element[] = [];
  const listeners = new Set<(stanza: Element) => void>();
  stream.listen((stanza) => {
    if (archive.take(stanza)) return;
    seen.push(stanza);
    for (const listener of listeners) listener(stanza);
  });
  stream.send(xml('presence'));

  /** The first stanza that matches, among those received and those to come. */
  function stanza(what: string, fits: (stanza: Element) => boolean, from = 0): Promise<Element> {
    const known = seen.slice(from).find(fits);
    if (known) return Promise.resolve(known);
    const { promise, resolve, reject } = Promise.withResolvers<Element>();
    const listener = (next: Element) => fits(next) && resolve(next);
    const timer = setTimeout(() => reject(new Error(`${user} never saw ${what}`)), LIMIT_MS);
    listeners.add(listener);
    void stream.over.then(reject);
    return promise.finally(() => {
      clearTimeout(timer);
      listeners.delete(listener);
    });
  }

  /** Resolves when the server has processed everything sent before. */
  async function settled(): Promise<void> {
    await stream.request('get', xml('ping', NS.ping));
  }

  /** Sends a message with a new id; returns that id. */
  async function write(to: string, type: 'chat' | 'groupchat', ...children: Element[]): Promise<string> {
    const id = randomUUID();
    stream.send(xml('message', { to, type, id }, ...children, xml('origin-id', { xmlns: NS.ids, id })));
    await settled();
    return id;
  }

  return {
    stream,
    archive,
    seen,
    stanza,
    settled,
    write,
    /** Joins a room; returns the user's own id there. */
    async join(room: string, nick: string): Promise<string> {
      stream.send(xml('presence', { to: `${room}/${nick}` }, xml('x', NS.muc, xml('history', { maxstanzas: '0' }))));
      const own = await stanza(
        `itself in ${room}`,
        ({ name, attrs }) => name === 'presence' && attrs.from === `${room}/${nick}`,
      );
      if (own.attrs.type === 'error') throw new Error(`${user} may not enter ${room}`);
      await stream
        .request('set', xml('query', NS.mucOwner, xml('x', { xmlns: NS.form, type: 'submit' })), { to: room })
        .catch(() => {});
      return own.getChild('occupant-id', NS.occupantId)?.attrs.id ?? '';
    },
    /** The id that a room assigned to a message. */
    async stampOf(room: string, id: string): Promise<string> {
      const echo = await stanza(
        'its own message',
        (each) => each.name === 'message' && bareJid(each.attrs.from ?? '') === room && senderIdsOf(each).includes(id),
      );
      return stampedId(echo, room) ?? '';
    },
    /** The id of a direct message in the user's own archive. */
    async keptId(peer: string, id: string): Promise<string> {
      const kept = await archive.find({ with: peer, limit: 50 }, 20, ({ message }) =>
        senderIdsOf(message).includes(id),
      );
      if (!kept) throw new Error(`the archive of ${user} has no such message`);
      return kept.id;
    },
    close: () => stream.close(),
  };
}

export type XmppUser = Awaited<ReturnType<typeof xmppUser>>;
