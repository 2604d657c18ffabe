export type RequestId = string | number;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const COMMA = 0x2c;
const OPEN_OBJECT = 0x7b;
const OPEN_ARRAY = 0x5b;
const CLOSE_OBJECT = 0x7d;
const CLOSE_ARRAY = 0x5d;

/** An id longer than this is not repeated to the sender. */
const LONGEST = 256;

/**
 * Finds the value of the outermost `"id"` of a request in JSON that passes by in pieces and is too large to be kept. It
 * never fails: what is no JSON has no id. Gigabytes may pass by, so the loops are plain.
 */
export function createIdScanner() {
  let depth = 0;
  let inString = false;
  let escaped = false;
  /** The bytes of the outermost string or scalar that is being read, as far as they matter. */
  let token: number[] = [];
  let key = '';
  let expectsValue = false;
  let hasMethod = false;
  let found: RequestId | null = null;

  function push(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; ) at = inString ? passString(bytes, at) : passStructure(bytes, at);
  }

  /** Up to the end of the string, or of the bytes; returns how far it came. */
  function passString(bytes: Uint8Array, from: number): number {
    for (let at = from; at < bytes.length; at += 1) {
      const byte = bytes[at] as number;
      if (depth === 1) keep(byte);
      if (escaped) escaped = false;
      else if (byte === BACKSLASH) escaped = true;
      else if (byte === QUOTE) {
        inString = false;
        return at + 1;
      }
    }
    return bytes.length;
  }

  /** Up to the beginning of a string, or the end of the bytes; returns how far it came. */
  function passStructure(bytes: Uint8Array, from: number): number {
    for (let at = from; at < bytes.length; at += 1) {
      const byte = bytes[at] as number;
      if (byte === QUOTE) {
        inString = true;
        if (depth === 1) token = [byte];
        return at + 1;
      }
      if (depth === 1) outermost(byte);
      if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) depth += 1;
      else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) depth -= 1;
    }
    return bytes.length;
  }

  function outermost(byte: number): void {
    if (byte === COLON) {
      key = text();
      hasMethod ||= key === '"method"';
      expectsValue = true;
      token = [];
    } else if (byte === COMMA || byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) {
      if (expectsValue && key === '"id"') found = asId(text()) ?? found;
      expectsValue = false;
      token = [];
    } else {
      keep(byte);
    }
  }

  function keep(byte: number): void {
    if (token.length <= LONGEST) token.push(byte);
  }

  function text(): string {
    return Buffer.from(token).toString('utf8').trim();
  }

  return {
    push,
    /** None of a response: its sender would take our refusal for the answer to a request of its own. */
    id: () => (hasMethod ? found : null),
  };
}

function asId(text: string): RequestId | undefined {
  if (text.length > LONGEST) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'string' || Number.isSafeInteger(value)) return value as RequestId;
  } catch {
    // Cut short or no JSON at all: the sender gets `id: null`.
  }
  return undefined;
}
