import { visibleDeep, visibleText } from './visible.ts';

/** What an answer to a model may have: its text and its structure together, or each where a number was asked for. */
const PAGE_BYTES = 20_000;
/** Its frame, and what is said below the list. */
const FRAME_BYTES = 600;

export interface FittingPage<Item> {
  items: readonly Item[];
  /** Whether there are more than fit. */
  isCut: boolean;
}

export interface AnswerBytes {
  structure: number;
  text: number;
}

interface PageRoom {
  /** What the answer has besides. */
  others?: AnswerBytes;
  /** A number of items was asked for: then text and structure may have as much each. Most models see only one of them. */
  isAsked?: boolean;
  /** Default: those of a whole answer. */
  maxBytes?: number;
}

const NOTHING: AnswerBytes = { structure: 0, text: 0 };

/** As many of the items, from the first one on, as fit into an answer; at least one. Reads no more of them than needed. */
export function fittingPage<Item>(
  items: Iterable<Item>,
  bytesOf: (item: Item) => AnswerBytes,
  { others = NOTHING, isAsked = false, maxBytes = PAGE_BYTES - FRAME_BYTES }: PageRoom = {},
): FittingPage<Item> {
  const used = { ...others };
  const fitting: Item[] = [];
  for (const item of items) {
    const { structure, text } = bytesOf(item);
    used.structure += structure;
    used.text += text;
    const bytes = isAsked ? Math.max(used.structure, used.text) : used.structure + used.text;
    if (bytes > maxBytes && fitting.length > 0) return { items: fitting, isCut: true };
    fitting.push(item);
  }
  return { items: fitting, isCut: false };
}

/** The bytes of something that an answer has as a structure and as a line. */
export function bytesInAnswer(structure: object, line: string): AnswerBytes {
  return { structure: bytesAsJson(structure), text: bytesAsJson(`${line}\n`) };
}

/** What is said below a page that was cut, before its cursor. */
export const CUT = 'The page was cut because of its size; it goes on';

/** As it is sent: hidden characters are written out. */
export function bytesAsJson(value: unknown): number {
  const json = JSON.stringify(value);
  const isShown = !ESCAPED_CONTROL.test(json) && visibleText(json) === json;
  return Buffer.byteLength(isShown ? json : JSON.stringify(visibleDeep(value))) + 1;
}

/** In JSON: neither a line break nor a tab. */
const ESCAPED_CONTROL = /\\[^"\\nt]/;

/** The first of the items that fit, perhaps none. */
export function fittingItems<Item>(items: readonly Item[], maxBytes: number): Item[] {
  const fitting: Item[] = [];
  let used = 0;
  for (const item of items) {
    used += bytesAsJson(item);
    if (used > maxBytes) break;
    fitting.push(item);
  }
  return fitting;
}

/** A name or a title, shortened; more so if it has many hidden characters, which are written out. */
export function shortName(name: string, maxLength = 200): string {
  const maxBytes = (maxLength + 1) * BYTES_PER_CHARACTER;
  let short = name.slice(0, maxLength);
  for (let bytes = bytesOfName(short, maxBytes); bytes > maxBytes; bytes = bytesOfName(short, maxBytes)) {
    short = short.slice(0, Math.floor((short.length * maxBytes) / bytes));
  }
  return short.length < name.length ? `${short.replace(/[\ud800-\udbff]$/, '')}…` : name;
}

/** Of any script. */
const BYTES_PER_CHARACTER = 3;
/** As hidden ones are written out. */
const MOST_PER_CHARACTER = 8;

/** Zero if there are not too many in any case. */
function bytesOfName(name: string, max: number): number {
  return name.length * MOST_PER_CHARACTER <= max ? 0 : bytesAsJson(name);
}
