import type { Batch } from '../../../chat/ports.ts';
import type { InboundEvent } from '../../../domain/chat.ts';
import { wordsOf } from './index-row.ts';
import type { Words } from './words.ts';

export interface PreparedEvent {
  event: InboundEvent;
  words: Words;
}

const NO_WORDS: Words = { tokens: [], terms: [] };
/** How long the thread is held at a time. */
const SLICE_MS = 10;

/** Cuts texts into words before the transaction begins, and lets everything else run in between. */
export async function prepare({ events }: Batch): Promise<PreparedEvent[]> {
  const prepared: PreparedEvent[] = [];
  let startedAt = performance.now();
  for (const event of events) {
    prepared.push(prepareEvent(event));
    if (performance.now() - startedAt < SLICE_MS) continue;
    await new Promise((resolve) => setImmediate(resolve));
    startedAt = performance.now();
  }
  return prepared;
}

/** SQLite keeps UTF-8, which half a character cannot be: it is replaced before anybody compares. */
function prepareEvent(event: InboundEvent): PreparedEvent {
  if (event.kind === 'edit') return { event: { ...event, text: event.text.toWellFormed() }, words: NO_WORDS };
  if (event.kind !== 'message') return { event, words: NO_WORDS };
  const message = { ...event.message, text: event.message.text.toWellFormed() };
  return { event: { kind: 'message', message }, words: wordsOf(message.text, message.attachments) };
}
