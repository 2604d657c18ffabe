import type { Batch } from '../../../chat/ports.ts';
import type { InboundEvent } from '../../../domain/chat.ts';
import { tokenizeMessage } from './index-row.ts';
import type { TokenizedText } from './tokenize.ts';

export interface PreparedEvent {
  event: InboundEvent;
  words: TokenizedText;
}

const NO_TOKENS: TokenizedText = { tokens: [], terms: [] };
/** Maximum time before yielding to the event loop. */
const SLICE_MS = 10;

/** Tokenizes texts before the transaction begins and yields to the event loop in between. */
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

/** Replaces lone surrogates, which UTF-8 cannot hold, so that later comparisons with the stored text work. */
function prepareEvent(event: InboundEvent): PreparedEvent {
  if (event.kind === 'edit') return { event: { ...event, text: event.text.toWellFormed() }, words: NO_TOKENS };
  if (event.kind !== 'message') return { event, words: NO_TOKENS };
  const message = { ...event.message, text: event.message.text.toWellFormed() };
  return { event: { kind: 'message', message }, words: tokenizeMessage(message.text, message) };
}
