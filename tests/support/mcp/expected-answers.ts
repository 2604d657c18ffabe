type Id = string | number;

export interface ExpectedAnswers {
  /** By id, the maximum number of responses. */
  most: Map<Id, number>;
  /** By id, the minimum number: lower if a request was cancelled. */
  least: Map<Id, number>;
  /** The maximum number of errors without an id. */
  complaints: number;
}

/** The responses that JSON-RPC requires of a server for these lines. */
export function expectedAnswers(lines: readonly Buffer[], limit: number): ExpectedAnswers {
  const expected: ExpectedAnswers = { most: new Map(), least: new Map(), complaints: 0 };
  const cancelled = new Set<unknown>();
  for (const line of lines) {
    const message = parse(line);
    const entries = Array.isArray(message) && message.length > 0 && line.length <= limit ? message : [message];
    for (const entry of entries) {
      owe(expected, entry);
      if (isRecord(entry) && entry.method === 'notifications/cancelled' && isRecord(entry.params)) {
        cancelled.add(entry.params.requestId);
      }
    }
  }
  for (const id of cancelled) expected.least.delete(id as Id);
  return expected;
}

function owe(expected: ExpectedAnswers, message: unknown): void {
  if (!isRecord(message) || !isId(message.id)) {
    if (!isSilent(message)) expected.complaints += 1;
    return;
  }
  if (isSilent(message)) return;
  add(expected.most, message.id);
  if (message.jsonrpc === '2.0' && typeof message.method === 'string') add(expected.least, message.id);
}

/** A notification or a response, valid or not, is never answered. */
function isSilent(message: unknown): boolean {
  if (!isRecord(message) || message.jsonrpc !== '2.0') return false;
  if ('method' in message) return typeof message.method === 'string' && !('id' in message);
  return 'result' in message || 'error' in message;
}

export function countBy<T>(values: readonly T[]): Map<T, number> {
  const counts = new Map<T, number>();
  for (const value of values) add(counts, value);
  return counts;
}

function add<T>(counts: Map<T, number>, key: T): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

function isId(value: unknown): value is Id {
  return typeof value === 'string' || Number.isSafeInteger(value);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function parse(line: Buffer): unknown {
  try {
    return JSON.parse(line.toString('utf8'));
  } catch {
    return undefined;
  }
}
