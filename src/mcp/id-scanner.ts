import { CUT, createJsonScanner } from '../lib/json-scanner.ts';

export type RequestId = string | number;

/** A longer id is not returned to the sender. */
const MAX_ID_LENGTH = 256;

/**
 * Finds the outermost `"id"` of a request that arrives in chunks and is too large to be kept. Invalid JSON has no id.
 */
export function createIdScanner() {
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
    /** Not the id of a response: its sender would take our error for the answer to one of its own requests. */
    id: () => (hasMethod ? found : null),
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
