import type { TestContext } from 'node:test';
import { openConnection } from '../../../src/connectors/xmpp/connection.ts';
import { ROOM_LIMITS } from '../../../src/connectors/xmpp/rooms.ts';
import type { XmppSettings } from '../../../src/connectors/xmpp/settings.ts';
import { LIMITS } from '../../../src/connectors/xmpp/stream.ts';
import type { InboundEvent, InboundMessage } from '../../../src/domain/chat.ts';
import { withDeadline } from '../../../src/lib/deadline.ts';
import { runRecorded } from '../connectors/recording-host.ts';
import { DOMAIN } from './prosody.ts';

/** Rooms are rejoined soon; all other limits are long enough for a busy machine. */
const BRISK = { ...LIMITS, ...ROOM_LIMITS, rejoinMs: 50 };
const LIMIT_MS = 60_000;

interface SourceOptions extends Partial<XmppSettings> {
  port: number;
  memory?: Map<string, string>;
  limits?: Partial<typeof BRISK>;
}

/** Alice's source, recording everything it reports. It is stopped when the test ends. */
export function xmppSource(context: TestContext, { port, memory, limits, ...settings }: SourceOptions) {
  const run = runRecorded<XmppSettings>(
    (given, host) => openConnection(given, host, { ...BRISK, ...limits }),
    {
      jid: `alice@${DOMAIN}`,
      password: 'pw-alice',
      service: `xmpp://127.0.0.1:${port}`,
      tls: false,
      rooms: [],
      ...settings,
    },
    memory ? { memory } : {},
  );
  context.after(() => run.stop());

  /** The first event that matches, among those received and those to come. */
  async function event<Kind extends InboundEvent['kind']>(
    kind: Kind,
    fits: (event: Extract<InboundEvent, { kind: Kind }>) => boolean = () => true,
  ): Promise<Extract<InboundEvent, { kind: Kind }>> {
    type Wanted = Extract<InboundEvent, { kind: Kind }>;
    const find = () => run.events.find((each): each is Wanted => each.kind === kind && fits(each as Wanted));
    await limited(`an event of the kind ${kind}`, () => run.until(() => find() !== undefined));
    return find() as Wanted;
  }

  return {
    ...run,
    event,
    async message(text: string): Promise<InboundMessage> {
      return (await event('message', ({ message }) => message.text === text)).message;
    },
    connected: () => limited('the connection', () => run.connected()),
    until: (what: string, isSo: () => boolean) => limited(what, () => run.until(isSo)),
    end: () => limited('the end', () => run.ended),
    /** A whole page of a timeline, newest or older. */
    page: (timeline: string, from?: string, limit = 50) =>
      run.connection.history?.({
        timeline,
        direction: 'older',
        ...(from === undefined ? {} : { from }),
        limit,
        signal: AbortSignal.timeout(LIMIT_MS),
      }),
  };
}

function limited<T>(what: string, work: () => Promise<T>): Promise<T> {
  return withDeadline(LIMIT_MS, undefined, () => new Error(`this never came: ${what}`), work);
}
