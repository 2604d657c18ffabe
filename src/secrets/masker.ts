import { createTextSearch, MIN_LITERAL_LENGTH } from './text-search.ts';

/** Collects all secret values that the program handles and replaces them in outgoing text. */
export interface Masker {
  /**
   * Masks this value from now on. Values shorter than six characters are ignored: they occur in ordinary text, which
   * would become unreadable, and the gaps would reveal the value.
   */
  add(value: string): void;
  /** Replaces each value by `[secret]`. Mask before truncating a text: a part of a value is not found. */
  mask(text: string): string;
  /**
   * The same for all strings in objects and arrays, including keys; `toJSON` is called where it exists. Returns the
   * same object if there was nothing to mask.
   */
  maskDeep<T>(value: T): T;
  /** Number of known values. */
  readonly size: number;
}

const MASK = '[secret]';
/** Each line of a multi-line value, such as a private key, is masked separately if it has at least this length. */
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
    // Only strings are replaced, and by strings, so the type is unchanged.
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

/** Forms in which a value may occur: verbatim, in JSON, in JSON within JSON, in a URL or form, in base64. */
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
 * In base64 of a longer text the value has one of three forms, depending on its offset modulo three. Characters at
 * both ends that depend on neighbouring bytes are left out.
 */
function base64Forms(bytes: Buffer): string[] {
  return [0, 1, 2].flatMap((offset) => {
    const encoded = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64');
    const own = encoded.slice(Math.ceil((offset * 8) / 6), Math.floor(((offset + bytes.length) * 8) / 6));
    return [own, own.replaceAll('+', '-').replaceAll('/', '_'), encodeURIComponent(own)];
  });
}
