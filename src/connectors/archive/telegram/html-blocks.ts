import { MAX_MESSAGE } from '../importer.ts';
import type { ArchiveEntry } from '../open-archive.ts';

export type HtmlBlock =
  /** What is before the first message. */
  | { kind: 'head'; html: string; end: number }
  /** A message, with the rest of the page if it is the last one. */
  | { kind: 'message'; html: string; end: number }
  | { kind: 'too_large'; end: number };

/** In texts of messages the bracket is written as `&lt;`. */
const BEGINNING = '<div class="message ';

/** Cuts a page into its messages while it is read. `end` are the bytes read so far. */
export async function* blocksOf(entry: ArchiveEntry, signal: AbortSignal): AsyncGenerator<HtmlBlock> {
  const decoder = new TextDecoder();
  let [held, end, kind, isTooLarge] = ['', 0, 'head' as 'head' | 'message', false];

  function* finish(html: string): Generator<HtmlBlock> {
    yield isTooLarge || html.length > MAX_MESSAGE ? { kind: 'too_large', end } : { kind, html, end };
    [kind, isTooLarge] = ['message', false];
  }

  for await (const chunk of entry.read()) {
    signal.throwIfAborted();
    // What was held is searched again only as far as a beginning may reach into it.
    let from = Math.max(kind === 'message' ? 1 : 0, held.length - BEGINNING.length);
    held += decoder.decode(chunk, { stream: true });
    end += chunk.length;
    let start = 0;
    for (let next = held.indexOf(BEGINNING, from); next !== -1; next = held.indexOf(BEGINNING, from)) {
      yield* finish(held.slice(start, next));
      start = next;
      from = next + 1;
    }
    held = held.slice(start);
    if (held.length <= MAX_MESSAGE) continue;
    isTooLarge = true;
    held = held.slice(-BEGINNING.length);
  }
  yield* finish(held + decoder.decode());
}
