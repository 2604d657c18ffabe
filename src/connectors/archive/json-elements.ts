import { CUT, createJsonScanner, type Piece, type Plan } from '../../lib/json-scanner.ts';
import { MAX_MESSAGE, type SkipReason } from './importer.ts';
import { asFields, type Fields } from './json-fields.ts';
import { parseJson } from './json-text.ts';
import type { ArchiveEntry } from './open-archive.ts';

export type Element =
  /** `where`: which element it is. */
  | { kind: 'value'; where: string; fields: Fields }
  | { kind: 'skipped'; where: string; why: SkipReason }
  /** So many bytes of the file are read. */
  | { kind: 'read'; end: number };

/** The objects of a file that is one JSON array, one at a time. One that is broken costs no other. */
export async function* elementsOf(entry: ArchiveEntry, signal: AbortSignal): AsyncGenerator<Element> {
  let [number, isList] = [0, false];
  for await (const piece of jsonPieces(entry, [CUT], signal)) {
    if (piece.kind === 'read') yield piece;
    else if (piece.kind === 'begin') isList = true;
    else if (piece.kind === 'cut_off' && isList)
      yield { kind: 'skipped', where: `element ${number + 1}`, why: 'cut_off' };
    else if (piece.kind === 'value' || piece.kind === 'too_large') {
      number += 1;
      yield { where: `element ${number}`, ...objectIn(piece) };
    }
  }
  if (!isList) yield { kind: 'skipped', where: 'element 1', why: 'malformed' };
}

/** What a plan cuts out of a JSON file, and how far that is: `end` bytes of the file are read. */
export async function* jsonPieces(
  entry: ArchiveEntry,
  plan: Plan,
  signal: AbortSignal,
): AsyncGenerator<Piece | { kind: 'read'; end: number } | { kind: 'cut_off' }> {
  const cutter = createJsonScanner(plan, MAX_MESSAGE);
  let end = 0;
  for await (const chunk of entry.read()) {
    signal.throwIfAborted();
    yield* cutter.push(chunk);
    end += chunk.length;
    yield { kind: 'read', end };
  }
  if (!cutter.isComplete()) yield { kind: 'cut_off' };
}

/** The object that was cut out, or why it is none. */
export function objectIn(
  piece: Extract<Piece, { kind: 'value' | 'too_large' }>,
): { kind: 'value'; fields: Fields } | { kind: 'skipped'; why: SkipReason } {
  if (piece.kind === 'too_large') return { kind: 'skipped', why: 'too_large' };
  const fields = asFields(parseJson(piece.bytes));
  return fields ? { kind: 'value', fields } : { kind: 'skipped', why: 'malformed' };
}
