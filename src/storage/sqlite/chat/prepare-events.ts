import type { Batch } from '../../../chat/ports.ts';
import type { InboundEvent } from '../../../domain/chat.ts';
import type { IndexedText } from '../../../domain/indexed-text.ts';
import { tokenizeMessage } from './index-row.ts';

export interface PreparedEvent {
  event: InboundEvent;
  indexed: IndexedText;
  /** Its message is stored already. */
  isKnown?: true;
}

export const NOT_INDEXED: IndexedText = { words: '', terms: [] };
/** Characters of a word with the space after it, on average. */
const WORD_LENGTH = 6;
/** Maximum time before yielding to the event loop. */
const SLICE_MS = 10;

/**
 * Tokenizes new texts before the transaction begins and yields to the event loop in between. `texts` are the words of each event, if
 * they were determined before.
 */
export async function prepareEvents(
  { events }: Batch,
  { known = new Set(), texts }: { known?: ReadonlySet<InboundEvent>; texts?: readonly IndexedText[] } = {},
): Promise<PreparedEvent[]> {
  const prepared: PreparedEvent[] = [];
  let startedAt = performance.now();
  for (const [index, event] of events.entries()) {
    const text = texts?.[index];
    prepared.push(
      known.has(event) ? { ...prepareEvent(event, NOT_INDEXED), isKnown: true } : prepareEvent(event, text),
    );
    if (performance.now() - startedAt < SLICE_MS) continue;
    await new Promise((resolve) => setImmediate(resolve));
    startedAt = performance.now();
  }
  return prepared;
}

/**
 * Replaces lone surrogates, which UTF-8 cannot hold, so that later comparisons with the stored text work. `known` are the words
 * of the message, if they were determined before.
 */
export function prepareEvent(event: InboundEvent, known?: IndexedText): PreparedEvent {
  if (event.kind === 'edit') return { event: { ...event, text: event.text.toWellFormed() }, indexed: NOT_INDEXED };
  if (event.kind !== 'message') return { event, indexed: NOT_INDEXED };
  const message = { ...event.message, text: event.message.text.toWellFormed() };
  return { event: { kind: 'message', message }, indexed: known ?? tokenizeMessage(message.text, message) };
}

/** About how many words these texts add to the index. */
export function wordCount(texts: readonly IndexedText[]): number {
  return Math.round(texts.reduce((sum, { words }) => sum + words.length, 0) / WORD_LENGTH);
}
