import type { Batch } from '../../../chat/ports.ts';
import type { InboundEvent } from '../../../domain/chat.ts';
import { tokenizeMessage } from './index-row.ts';
import type { TokenizedText } from './tokenize.ts';

export interface PreparedEvent {
  event: InboundEvent;
  words: TokenizedText;
}

const NO_TOKENS: TokenizedText = { tokens: [], terms: [] };
/** How long the thread is held at a time. */
const SLICE_MS = 10;

/** Cuts texts into words before the transaction begins, and lets everything else run in between. */
export async function prepareEvents({ events }: Batch): Promise<PreparedEvent[]> {
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
  if (event.kind === 'edit') return { event: { ...event, text: event.text.toWellFormed() }, words: NO_TOKENS };
  if (event.kind !== 'message') return { event, words: NO_TOKENS };
  const message = { ...event.message, text: event.message.text.toWellFormed() };
  return { event: { kind: 'message', message }, words: tokenizeMessage(message.text, message.attachments) };
}
