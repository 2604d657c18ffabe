import type { InboundEvent } from '../../../domain/chat.ts';
import type { IndexedText } from '../../../domain/indexed-text.ts';
import { createHashedSet } from './hashed-set.ts';
import { type Searched, tokenizeMessage } from './index-row.ts';
import { NOT_INDEXED } from './prepare-events.ts';

const utf8 = new TextEncoder();
/** Slots for words that were met: four megabytes. */
const SLOTS = 1 << 19;
/** Of memory for the words of several texts. */
const CHUNK = 256 * 1024;
/** UTF-8 of a UTF-16 unit. */
const MAX_BYTES_PER_UNIT = 3;

/** Splits a well-formed text, and what is searched besides it, into words. */
export type TextSplitter = (text: string, searched: Searched) => IndexedText;

/** For a thread that gets texts for another one, which stores them in the same order and has more to do. */
export function createTextSplitter(encode: (text: string) => Uint8Array<ArrayBuffer> = encodeAlone): TextSplitter {
  const met = createHashedSet(SLOTS);
  let count = 0;
  return (text, searched) => {
    const earlier = count++;
    const { words, terms } = tokenizeMessage(text, searched);
    const added = new Set(terms.filter((term) => !met.has(term)));
    const bytes = encode(words);
    met.findMissing(bytes, added);
    if (met.size + added.size > SLOTS / 2) return { words: bytes, terms };
    for (const term of added) met.add(term);
    return { words: bytes, terms, newTerms: { earlier, terms: [...added] } };
  };
}

function encodeAlone(text: string): Uint8Array<ArrayBuffer> {
  return utf8.encode(text);
}

/** The words of each event, and the memory that holds them, which can be handed over to another thread. */
export interface SplitEvents {
  texts: readonly IndexedText[];
  memory: readonly ArrayBuffer[];
}

/** Messages of chats are short, so that memory of its own for each would be most of what it takes. */
export function createEventSplitter(): (events: readonly InboundEvent[]) => SplitEvents {
  let chunks: Uint8Array<ArrayBuffer>[] = [];
  let free = new Uint8Array(0);

  function encode(text: string): Uint8Array<ArrayBuffer> {
    const needed = text.length * MAX_BYTES_PER_UNIT;
    if (needed > free.length) {
      free = new Uint8Array(Math.max(CHUNK, needed));
      chunks.push(free);
    }
    const { written } = utf8.encodeInto(text, free);
    const bytes = free.subarray(0, written);
    free = free.subarray(written);
    return bytes;
  }

  const split = createTextSplitter(encode);
  return (events) => {
    const texts = events.map((event) => {
      if (event.kind !== 'message') return NOT_INDEXED;
      return split(event.message.text.toWellFormed(), event.message);
    });
    const memory = chunks.map(({ buffer }) => buffer);
    chunks = [];
    free = new Uint8Array(0);
    return { texts, memory };
  };
}
