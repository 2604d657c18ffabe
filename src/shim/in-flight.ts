type RequestId = string | number;

/** Lines longer than this are looked through for their id instead of being parsed. */
const PARSED_UP_TO = 64 * 1024;

/**
 * The requests that wait for an answer, by what passes in both directions. This is all a shim looks at: when the
 * daemon dies, it owes each of them an answer.
 */
export function createInFlight() {
  const waiting = new Set<RequestId>();

  return {
    /** A line of the client. */
    asked(line: Buffer): void {
      const message = parse(line);
      for (const one of Array.isArray(message) ? message : [message]) {
        if (isRecord(one) && typeof one.method === 'string' && isId(one.id)) waiting.add(one.id);
        if (isRecord(one) && one.method === 'notifications/cancelled' && isRecord(one.params)) {
          waiting.delete(one.params.requestId as RequestId);
        }
      }
    },
    /** A line of the daemon. */
    answered(line: Buffer): void {
      const message = parse(line);
      if (isRecord(message) && message.method === undefined && isId(message.id)) waiting.delete(message.id);
    },
    /** All that still wait; they are forgotten here. */
    takeAll(): readonly RequestId[] {
      const all = [...waiting];
      waiting.clear();
      return all;
    },
    count: () => waiting.size,
  };
}

function parse(line: Buffer): unknown {
  try {
    return JSON.parse((line.length > PARSED_UP_TO ? envelopeOf(line) : line).toString('utf8'));
  } catch {
    return undefined;
  }
}

/** The outermost object of a long line without what is inside of it: enough to know its id and whether it asks. */
function envelopeOf(line: Buffer): Buffer {
  const kept: number[] = [];
  let depth = 0;
  let inString = false;
  for (let at = 0; at < line.length; at++) {
    const byte = line[at] ?? 0;
    if (inString) {
      if (depth === 1) kept.push(byte);
      if (byte === 0x5c) {
        at += 1;
        if (depth === 1) kept.push(line[at] ?? 0);
      } else if (byte === 0x22) inString = false;
      continue;
    }
    if (byte === 0x22) inString = true;
    const opens = byte === 0x7b || byte === 0x5b;
    const closes = byte === 0x7d || byte === 0x5d;
    if (opens) depth += 1;
    if (depth <= 1 || (depth === 2 && (opens || closes))) kept.push(byte);
    if (closes) depth -= 1;
  }
  return Buffer.from(kept);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isId(value: unknown): value is RequestId {
  return typeof value === 'string' || typeof value === 'number';
}
