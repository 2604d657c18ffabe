import { once } from 'node:events';
import type {
  Connection,
  CursorLost,
  HistoryPage,
  HistoryRequest,
  Host,
  Rejected,
} from '../../../src/connectors/connector.ts';
import type { InboundEvent } from '../../../src/domain/chat.ts';

export const LOST: CursorLost = { kind: 'cursor-lost', reason: 'forgotten' };

/** A network in memory with one channel, whose cursors are indexes of its list of messages. */
export function createFakeNetwork() {
  const log: InboundEvent[] = [];
  const asked: HistoryRequest[] = [];
  let host: Host | undefined;
  let cut: ((error: Error) => void) | undefined;
  let isForgetful = false;
  let refusal: Rejected | Error | undefined;
  let opened = 0;
  let meddle: (request: HistoryRequest) => Promise<unknown> | unknown = () => {};

  function page({ direction, from, limit }: HistoryRequest): HistoryPage | CursorLost {
    if (isForgetful && direction === 'newer') return LOST;
    const place = from === undefined ? log.length : Number(from);
    const [start, end] =
      direction === 'older'
        ? [Math.max(0, place - limit), place]
        : [place + 1, Math.min(log.length, place + 1 + limit)];
    const events = log.slice(start, end);
    if (events.length === 0) return { kind: 'page', events, end: true };
    return {
      kind: 'page',
      events,
      oldest: String(start),
      newest: String(end - 1),
      end: direction === 'older' ? start === 0 : end === log.length,
    };
  }

  return {
    log,
    asked,
    opened: () => opened,
    /** Adds a message of another user; delivered live if the source is connected. */
    async say(text: string, at: number): Promise<void> {
      const event = messageOf(text, at);
      log.push(event);
      await host?.accept([event], { timeline: 'channel', cursor: String(log.length - 1) });
    },
    cut: (error: Error = new Error('cut')) => cut?.(error),
    forget: () => {
      isForgetful = true;
    },
    /** Called at each request for history; a returned value becomes the response. */
    onAsked: (hook: typeof meddle) => {
      meddle = hook;
    },
    /** The next `run` is rejected for this reason, or throws this error. */
    refuseNext: (reason: string | Error) => {
      refusal = typeof reason === 'string' ? { kind: 'rejected', reason } : reason;
    },
    async open(given: Host): Promise<Connection> {
      opened += 1;
      return {
        async run(signal) {
          if (refusal) {
            const given = refusal;
            refusal = undefined;
            if (given instanceof Error) throw given;
            return given;
          }
          host = given;
          const lost = Promise.withResolvers<never>();
          cut = lost.reject;
          given.connected([{ id: 'channel', chat: '#x' }]);
          try {
            await Promise.race([lost.promise, signal.aborted ? undefined : once(signal, 'abort')]);
          } finally {
            host = undefined;
          }
          return undefined;
        },
        async history(request) {
          asked.push(request);
          return ((await meddle(request)) as CursorLost | undefined) ?? page(request);
        },
        send: async ({ text }) => ({ kind: 'sent', id: `sent-${text}` }),
        addressOf: (text) => (text.startsWith('@') ? text.toLowerCase() : undefined),
      };
    },
  };
}

export function messageOf(text: string, at: number, id: string = text): InboundEvent {
  return {
    kind: 'message',
    message: { chat: { id: '#x', name: 'X', type: 'group' }, id, sender: { id: 'ann', name: 'Ann' }, text, at },
  };
}
