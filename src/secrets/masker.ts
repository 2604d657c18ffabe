import { createTextSearch, MIN_LITERAL_LENGTH } from './text-search.ts';

/** Knows every secret value the program has met, and takes them out of what leaves it. */
export interface Masker {
  /**
   * From now on this value is masked. Values of fewer than six characters are not: they are parts of ordinary words and
   * numbers, so that texts would become unreadable and their holes would tell the value.
   */
  add(value: string): void;
  /** The text with `[secret]` in place of each value. Mask before cutting a text: half a value is not found. */
  mask(text: string): string;
  /**
   * The same for every string in objects and arrays, keys included; what has a `toJSON` is taken as that says. The very
   * same value comes back when there was nothing to mask.
   */
  maskDeep<T>(value: T): T;
  /** How many values it knows. */
  readonly size: number;
}

const MASK = '[secret]';
/** A line of a value with several lines, such as a private key, is masked alone too when it is not a common phrase. */
const MIN_LINE_LENGTH = 16;

export function createMasker(): Masker {
  const known = new Set<string>();
  const search = createTextSearch();

  function add(value: string): void {
    if (value.length < MIN_LITERAL_LENGTH || known.has(value)) return;
    known.add(value);
    for (const form of encodingsOf(value)) search.add(form);
  }

  function mask(text: string): string {
    if (known.size === 0) return text;
    const spans = search.find(text);
    if (spans.length === 0) return text;
    let masked = '';
    let from = 0;
    for (const { begin, end } of spans) {
      masked += text.slice(from, begin) + MASK;
      from = end;
    }
    return masked + text.slice(from);
  }

  return {
    add,
    mask,
    // A walk changes strings only, and strings stay strings.
    maskDeep: <T>(value: T) => (known.size === 0 ? value : (walk(value, mask, new Set()) as T)),
    get size() {
      return known.size;
    },
  };
}

function walk(value: unknown, mask: (text: string) => string, parents: Set<object>): unknown {
  if (typeof value === 'string') return mask(value);
  if (typeof value !== 'object' || value === null) return value;
  if (parents.has(value)) return '[circular]';
  parents.add(value);
  const masked = walkObject(value, (inner) => walk(inner, mask, parents), mask);
  parents.delete(value);
  return masked;
}

function walkObject(value: object, walkInner: (inner: unknown) => unknown, mask: (text: string) => string): unknown {
  if ('toJSON' in value && typeof value.toJSON === 'function') {
    const plain: unknown = value.toJSON();
    const masked = walkInner(plain);
    return masked === plain ? value : masked;
  }
  if (Array.isArray(value)) {
    const items = value.map(walkInner);
    return items.every((item, index) => Object.is(item, value[index])) ? value : items;
  }
  const entries = Object.entries(value);
  const masked = entries.map(([key, inner]): [string, unknown] => [mask(key), walkInner(inner)]);
  const same = masked.every(
    ([key, inner], index) => key === entries[index]?.[0] && Object.is(inner, entries[index]?.[1]),
  );
  return same ? value : Object.fromEntries(masked);
}

/** A value as it may stand in a text: as it is, in JSON, in JSON within JSON, in a URL or form, in base64. */
function encodingsOf(value: string): Set<string> {
  const wellFormed = value.toWellFormed();
  const lines = wellFormed.split(/[\r\n]+/).filter((line) => line.length >= MIN_LINE_LENGTH);
  const percent = encodeURIComponent(wellFormed);
  const forms = [
    value,
    ...lines,
    ...jsonForms(value),
    percent,
    percent.replace(/%../g, (byte) => byte.toLowerCase()),
    new URLSearchParams([['', wellFormed]]).toString().slice(1),
    ...base64Forms(Buffer.from(wellFormed)),
  ];
  return new Set(forms.filter((form) => form.length >= MIN_LITERAL_LENGTH));
}

function jsonForms(value: string): string[] {
  const once = inJson(value);
  const ascii = once.replace(/[^\x20-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
  return [once, inJson(once), ascii, inJson(ascii)];
}

function inJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/**
 * Base64 of a longer text has the value in one of three shapes, by where in a group of three bytes it begins. The
 * characters at either end that depend on the neighbours are left out.
 */
function base64Forms(bytes: Buffer): string[] {
  return [0, 1, 2].flatMap((offset) => {
    const encoded = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64');
    const own = encoded.slice(Math.ceil((offset * 8) / 6), Math.floor(((offset + bytes.length) * 8) / 6));
    return [own, own.replaceAll('+', '-').replaceAll('/', '_'), encodeURIComponent(own)];
  });
}
