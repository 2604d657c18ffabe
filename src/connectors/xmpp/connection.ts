import { randomBytes } from 'node:crypto';
import type { Connection, Host } from '../connector.ts';
import { outcomeOf, rejected, rejectionOf } from '../outcome-error.ts';
import { createClient, type XmppClient } from './client.ts';
import { bareJid, parseJid } from './jid.ts';
import { ROOM_LIMITS, type RoomLimits } from './rooms.ts';
import type { XmppSettings } from './settings.ts';
import { LIMITS, openStream, type StreamLimits, type XmppStream } from './stream.ts';

const NAMES = { address: '`jid` and `service`', encryption: '`service`' };

/** `limits` are for tests, which use short timeouts. */
export function openConnection(
  settings: XmppSettings,
  host: Host,
  limits: StreamLimits & RoomLimits = { ...LIMITS, ...ROOM_LIMITS },
): Connection {
  let client: XmppClient | undefined;

  async function run(signal: AbortSignal): Promise<void> {
    const { jid, password, service, tls, ca } = settings;
    const { local: user, domain } = parseJid(jid);
    if (password === undefined) throw rejected('The source has no password to sign in with.');
    const resource = await resourceOf(host);
    try {
      const stream = await openStream({ domain, user, password, resource, service, tls, ca }, signal, limits);
      await use(stream, settings.nick ?? user, signal);
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  async function use(stream: XmppStream, nick: string, signal: AbortSignal): Promise<void> {
    const onAbort = () => void stream.close();
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) onAbort();
    try {
      client = await createClient(stream, host, { nick, rooms: settings.rooms, limits });
      await client.begin();
      throw await stream.over;
    } finally {
      signal.removeEventListener('abort', onAbort);
      stream.fail(new Error('the connection was given up'));
      await client?.settled();
      client = undefined;
    }
  }

  function connected(): XmppClient {
    if (!client) throw new Error('the source is not connected');
    return client;
  }

  return {
    run: (signal) => rejectionOf(run(signal), NAMES),
    async send(outgoing) {
      if (!client) return { kind: 'not-sent', reason: 'The source is not connected.', retry: true };
      return outcomeOf(client.outgoing.send(outgoing), 'not-sent', 'unknown');
    },
    wasSent: async (outgoing) => outcomeOf(connected().outgoing.wasSent(outgoing), 'unknown'),
    problems: () => client?.problems() ?? [],
    addressOf: (text) => (ADDRESS.test(text) ? bareJid(text) : undefined),
    history: async (request) => outcomeOf(connected().history(request), 'cursor-lost'),
  };
}

/** A contact or a room: a domain alone is a server. */
const ADDRESS = /^[^\s@/"'<>&:]+@[^\s@/]+$/;

/** The same resource at every start, so that a new connection replaces a lost one. */
async function resourceOf({ memory }: Host): Promise<string> {
  const known = await memory.get('resource');
  if (known !== undefined) return known;
  const made = `switchboard.${randomBytes(4).toString('hex')}`;
  await memory.set('resource', made);
  return made;
}
