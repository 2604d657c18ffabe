export type RequestId = string | number;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const COMMA = 0x2c;
const OPEN = new Set([0x7b, 0x5b]);
const CLOSE = new Set([0x7d, 0x5d]);

/** An id longer than this is not repeated to the sender. */
const LONGEST = 256;

/**
 * Finds the value of the outermost `"id"` in JSON that passes by in pieces and is too large to be kept. It never
 * fails: what is no JSON has no id.
 */
export function createIdScanner() {
  let depth = 0;
  let inString = false;
  let escaped = false;
  /** The bytes of the outermost string or scalar that is being read, as far as they matter. */
  let token: number[] = [];
  let key = '';
  let expectsValue = false;
  let found: RequestId | null = null;

  function push(bytes: Uint8Array): void {
    for (const byte of bytes) step(byte);
  }

  function step(byte: number): void {
    if (inString) return insideString(byte);
    if (byte === QUOTE) {
      inString = true;
      if (depth === 1) token = [byte];
      return;
    }
    if (OPEN.has(byte)) {
      depth += 1;
      return;
    }
    if (depth === 1) outermost(byte);
    if (CLOSE.has(byte)) depth -= 1;
  }

  function insideString(byte: number): void {
    if (depth === 1 && token.length <= LONGEST) token.push(byte);
    if (escaped) escaped = false;
    else if (byte === BACKSLASH) escaped = true;
    else if (byte === QUOTE) inString = false;
  }

  function outermost(byte: number): void {
    if (byte === COLON) {
      key = text();
      expectsValue = true;
      token = [];
    } else if (byte === COMMA || CLOSE.has(byte)) {
      if (expectsValue && key === '"id"') found = asId(text()) ?? found;
      expectsValue = false;
      token = [];
    } else if (token.length <= LONGEST) {
      token.push(byte);
    }
  }

  function text(): string {
    return Buffer.from(token).toString('utf8').trim();
  }

  return { push, id: () => found };
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
