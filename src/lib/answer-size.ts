import { visibleDeep } from './visible.ts';

/** What an answer to a model may have, its text and its structure together. */
const PAGE_BYTES = 20_000;
/** Its frame, and what is said below the list. */
const FRAME_BYTES = 600;

export interface FittingPage<Item> {
  items: readonly Item[];
  /** Whether there are more than fit. */
  isCut: boolean;
}

/** As many of the items, from the first one on, as fit into an answer together with `others`; at least one. */
export function fittingPage<Item>(
  items: readonly Item[],
  bytesOf: (item: Item) => number,
  others: object = {},
): FittingPage<Item> {
  let left = PAGE_BYTES - FRAME_BYTES - 2 * bytesAsJson(others);
  const end = items.findIndex((item, index) => {
    left -= bytesOf(item);
    return left < 0 && index > 0;
  });
  return { items: end === -1 ? items : items.slice(0, end), isCut: end !== -1 };
}

/** The bytes of something that an answer has as a structure and as a line. */
export function bytesInAnswer(structure: object, line: string): number {
  return bytesAsJson(structure) + bytesAsJson(`${line}\n`);
}

/** As it is sent: hidden characters are written out. */
function bytesAsJson(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(visibleDeep(value))) + 1;
}

/** A name or a title, shortened. */
export function shortName(name: string, maxLength = 200): string {
  return name.length > maxLength ? `${name.slice(0, maxLength).replace(/[\ud800-\udbff]$/, '')}…` : name;
}
