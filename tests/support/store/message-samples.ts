import type { Batch, MessageFilter, PageRequest, Recorded, StoredMessage } from '../../../src/chat/ports.ts';
import type { InboundEvent, InboundMessage } from '../../../src/domain/chat.ts';
import type { Store } from './open-store.ts';

export const START = Date.UTC(2026, 0, 1);
export const MINUTE = 60_000;

/** Shorthands for tests of messages, in the source `irc`. */
export function messageHands(store: () => Store) {
  const record = (events: readonly InboundEvent[], facts: Partial<Batch> = {}): Promise<Recorded> =>
    store().messages.record({ source: 'irc', events, origin: 'live', ...facts });
  return {
    record,
    say: (...messages: InboundMessage[]) => record(said(messages)),
    find: async (filter: MessageFilter = {}, page: Partial<PageRequest> = {}) =>
      texts((await store().messages.find(filter, { limit: 100, ...page })).messages),
  };
}

export function said(messages: readonly InboundMessage[]): InboundEvent[] {
  return messages.map((message) => ({ kind: 'message', message }));
}

/** Messages called later in the alphabet are later. */
export function message(id: string, facts: Partial<InboundMessage> = {}): InboundMessage {
  const at = START + (id.codePointAt(0) ?? 0) * 100;
  return { chat: { id: '#ops' }, id, sender: { id: 'ada', name: 'Ada' }, text: textOf(id), at, ...facts };
}

export function textOf(id: string): string {
  return `text of ${id}`;
}

export function texts(messages: readonly StoredMessage[]): string[] {
  return messages.map(({ text }) => text);
}

export function lastId(messages: readonly StoredMessage[]): string {
  return messages.at(-1)?.id ?? '';
}

export async function keysOf<const Names extends readonly string[]>(
  { chats }: Store,
  ...names: Names
): Promise<{ [Index in keyof Names]: number }> {
  const found = await Promise.all(names.map((name) => chats.resolve(['irc'], name)));
  return found.map(([chat]) => chat?.key ?? 0) as { [Index in keyof Names]: number };
}
