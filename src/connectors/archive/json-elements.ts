import { CUT, createJsonScanner, type Piece, type Plan } from '../../lib/json-scanner.ts';
import { MAX_MESSAGE, type SkipReason } from './importer.ts';
import { asFields, type Fields } from './json-fields.ts';
import { parseJson } from './json-text.ts';
import type { ArchiveEntry } from './open-archive.ts';

export type Element =
  /** `where`: which element it is. */
  | { kind: 'value'; where: string; fields: Fields }
  | { kind: 'skipped'; where: string; why: SkipReason }
  /** Bytes of the file read so far. */
  | { kind: 'read'; end: number };

/** The place of what follows the JSON of a file, where an error ended it early. */
export const AFTER_END = 'after its end';

/** The objects of a file that is one JSON array, one at a time. A broken one does not affect others. */
export async function* elementsOf(entry: ArchiveEntry, signal: AbortSignal): AsyncGenerator<Element> {
  let [number, isList] = [0, false];
  for await (const piece of jsonPieces(entry, [CUT], signal)) {
    if (piece.kind === 'read') yield piece;
    else if (piece.kind === 'begin') isList = true;
    else if (piece.kind === 'cut_off' && isList)
      yield { kind: 'skipped', where: `element ${number + 1}`, why: 'cut_off' };
    else if (piece.kind === 'followed' && isList) yield { kind: 'skipped', where: AFTER_END, why: 'malformed' };
    else if (piece.kind === 'value' || piece.kind === 'too_large') {
      number += 1;
      yield { where: `element ${number}`, ...objectIn(piece) };
    }
  }
  if (!isList) yield { kind: 'skipped', where: 'element 1', why: 'malformed' };
}

/** A value that a plan selects in a JSON file; `end` is the number of bytes read so far. */
export async function* jsonPieces(
  entry: ArchiveEntry,
  plan: Plan,
  signal: AbortSignal,
): AsyncGenerator<Piece | { kind: 'read'; end: number } | { kind: 'cut_off' | 'followed' }> {
  const cutter = createJsonScanner(plan, MAX_MESSAGE);
  let end = 0;
  for await (const chunk of entry.read()) {
    signal.throwIfAborted();
    yield* cutter.push(chunk);
    end += chunk.length;
    yield { kind: 'read', end };
  }
  if (!cutter.isComplete()) yield { kind: 'cut_off' };
  if (cutter.isFollowed()) yield { kind: 'followed' };
}

/** The selected object, or why it is invalid. */
export function objectIn(
  piece: Extract<Piece, { kind: 'value' | 'too_large' }>,
): { kind: 'value'; fields: Fields } | { kind: 'skipped'; why: SkipReason } {
  if (piece.kind === 'too_large') return { kind: 'skipped', why: 'too_large' };
  const fields = asFields(parseJson(piece.bytes));
  return fields ? { kind: 'value', fields } : { kind: 'skipped', why: 'malformed' };
}
