import { CUT, createJsonScanner } from './json-scanner.ts';

export type RequestId = string | number;

/** A longer id is not returned to the sender. */
const MAX_ID_LENGTH = 256;

/**
 * Finds the outermost `"id"` of a message that arrives in chunks and is too large to be kept. Invalid JSON has no id. Both
 * ends of a connection count their own requests, so the id of a request means nothing to one that waits for an answer,
 * and the reverse.
 */
export function createIdScanner(of: 'request' | 'answer') {
  const scanner = createJsonScanner({ id: CUT, method: CUT }, MAX_ID_LENGTH);
  let hasMethod = false;
  let found: RequestId | null = null;

  return {
    push(bytes: Buffer): void {
      for (const piece of scanner.push(bytes)) {
        const [field] = piece.path;
        if (field === 'method') hasMethod = true;
        else if (field === 'id' && piece.kind === 'value') found = asId(piece.bytes.toString('utf8')) ?? found;
      }
    },
    id: () => (hasMethod === (of === 'request') ? found : null),
  };
}

function asId(text: string): RequestId | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'string' || Number.isSafeInteger(value)) return value as RequestId;
  } catch {
    // Truncated or invalid: the sender gets `id: null`.
  }
  return undefined;
}
