import { once } from 'node:events';
import {
  type Connection,
  CursorLost,
  type HistoryPage,
  type HistoryRequest,
  type Host,
} from '../../../src/connectors/connector.ts';
import type { InboundEvent } from '../../../src/domain/chat.ts';

/** A network in memory with one channel, whose cursors are places in its list of messages. */
export function createFakeNetwork() {
  const log: InboundEvent[] = [];
  const asked: HistoryRequest[] = [];
  let host: Host | undefined;
  let cut: ((error: Error) => void) | undefined;
  let isForgetful = false;
  let failsNext: Error | undefined;
  let opened = 0;
  let meddle: (request: HistoryRequest) => Promise<void> | void = () => {};

  function page({ direction, from, limit }: HistoryRequest): HistoryPage {
    if (isForgetful && direction === 'newer') throw new CursorLost();
    const place = from === undefined ? log.length : Number(from);
    const [start, end] =
      direction === 'older'
        ? [Math.max(0, place - limit), place]
        : [place + 1, Math.min(log.length, place + 1 + limit)];
    const events = log.slice(start, end);
    if (events.length === 0) return { events, end: true };
    return {
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
    /** Somebody writes; told live when the source is connected. */
    async say(text: string, at: number): Promise<void> {
      const event = messageOf(text, at);
      log.push(event);
      await host?.accept([event], { timeline: 'channel', cursor: String(log.length - 1) });
    },
    cut: (error: Error = new Error('cut')) => cut?.(error),
    forget: () => {
      isForgetful = true;
    },
    /** Called whenever history is asked for, before it is answered. */
    onAsked: (hook: typeof meddle) => {
      meddle = hook;
    },
    refuseNext: (error: Error) => {
      failsNext = error;
    },
    async open(given: Host): Promise<Connection> {
      opened += 1;
      return {
        async run(signal) {
          if (failsNext) {
            const error = failsNext;
            failsNext = undefined;
            throw error;
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
        },
        async history(request) {
          asked.push(request);
          await meddle(request);
          return page(request);
        },
        send: async ({ text }) => ({ id: `sent-${text}` }),
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
