import { CUT, createJsonScanner } from '../lib/json-scanner.ts';

export type RequestId = string | number;

/** An id longer than this is not repeated to the sender. */
const MAX_ID_LENGTH = 256;

/** Finds the outermost `"id"` of a request that arrives in pieces and is too large to be kept. What is no JSON has no id. */
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
    /** None of a response: its sender would take our refusal for the answer to a request of its own. */
    id: () => (hasMethod ? found : null),
  };
}

function asId(text: string): RequestId | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'string' || Number.isSafeInteger(value)) return value as RequestId;
  } catch {
    // Cut short or no JSON at all: the sender gets `id: null`.
  }
  return undefined;
}
