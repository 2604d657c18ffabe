import { isRecord } from '../lib/is-record.ts';
import { CUT, createJsonScanner } from '../lib/json-scanner.ts';
import { isId, type RequestId } from './message.ts';

interface Request {
  /** The bytes as received, to be sent again; none if they were received together with other requests. */
  line?: Buffer;
  method: string;
}

/** Longer lines are scanned for their id instead of being parsed. */
const PARSED_UP_TO = 64 * 1024;

/** Handshake requests change nothing and may be repeated. */
const HANDSHAKES: ReadonlySet<string> = new Set(['initialize', 'server/discover']);

/**
 * The requests that wait for an answer, tracked from the bytes in both directions. A shim parses nothing else: when the
 * daemon dies, the shim must answer each of them.
 */
export function createInFlight() {
  let waiting = new Map<RequestId, Request>();

  return {
    /** A line of the client. */
    asked(line: Buffer): void {
      const plain = plainRequest(line);
      if (plain) return void waiting.set(plain.id, { method: plain.method, line });
      const message = parse(line);
      if (Array.isArray(message)) for (const one of message) note(one);
      else note(message, line);
    },
    /** A line of the daemon. */
    answered(line: Buffer): void {
      const id = plainAnswer(line);
      if (id !== undefined) return void waiting.delete(id);
      const message = parse(line);
      for (const one of Array.isArray(message) ? message : [message]) {
        if (!isRecord(one) || one.method !== undefined) continue;
        if (isId(one.id)) waiting.delete(one.id);
        // Something was no JSON, though its ends may have looked like a request.
        else forgetMalformed();
      }
    },
    /**
     * The daemon has exited. Requests that it cannot have started are sent again; the others are answered with an
     * error. A daemon that exits normally answers everything it has read.
     */
    settle(how: 'in good order' | 'dead' | 'owe all'): {
      again: readonly Buffer[];
      beginsAnew: boolean;
      owed: readonly RequestId[];
    } {
      forgetMalformed();
      const all = waiting;
      waiting = new Map();
      const again = [...all].flatMap(([id, { line, method }]) =>
        line && (how === 'in good order' || (how === 'dead' && HANDSHAKES.has(method))) ? [{ id, line, method }] : [],
      );
      const repeated = new Set(again.map(({ id }) => id));
      return {
        again: again.map(({ line }) => line),
        beginsAnew: again.some(({ method }) => method === 'initialize'),
        owed: [...all.keys()].filter((id) => !repeated.has(id)),
      };
    },
  };

  function forgetMalformed(): void {
    for (const [id, { line }] of waiting) if (line && parse(line) === undefined) waiting.delete(id);
  }

  function note(message: unknown, line?: Buffer): void {
    if (!isRecord(message) || typeof message.method !== 'string') return;
    if (isId(message.id)) waiting.set(message.id, { method: message.method, ...(line && { line }) });
    if (message.method === 'notifications/cancelled' && isRecord(message.params)) {
      waiting.delete(message.params.requestId as RequestId);
    }
  }
}

/** The part before the parameters of a request, if it contains the id, and a request that has its id at the end. */
const BEGINS_WITH_ID = /^\{"jsonrpc":"2\.0","id":(0|[1-9]\d{0,14}),"method":"([\w/]+)"[,}]/;
const BEGINS_WITH_METHOD = /^\{"method":"([\w/]+)",/;
const ENDS_WITH_ID = /[}\]"\w],"jsonrpc":"2\.0","id":(0|[1-9]\d{0,14})\}\r?\n$/;
/** Of two ids the last one counts. */
const ANOTHER_ID = ',"id":';
const LONGEST_BEGINNING = 120;
const LONGEST_END = 48;
const RESULT = '{"result":';

/**
 * Nearly all requests have one of two forms for which the end of the line is as good as parsing: what is before
 * the last bracket belongs to the outermost object, and no string can contain such a quote.
 */
function plainRequest(line: Buffer): { id: number; method: string } | undefined {
  const beginning = line.toString('latin1', 0, LONGEST_BEGINNING);
  const [, first, method] = BEGINS_WITH_ID.exec(beginning) ?? [];
  if (first !== undefined && method !== undefined) {
    return line.includes(ANOTHER_ID, ANOTHER_ID.length * 4) ? undefined : { id: Number(first), method };
  }
  const [, said] = BEGINS_WITH_METHOD.exec(beginning) ?? [];
  const id = said === undefined ? undefined : idAtEnd(line);
  return id === undefined || said === undefined ? undefined : { id, method: said };
}

/** The daemon writes a result like this. */
function plainAnswer(line: Buffer): number | undefined {
  return line.toString('latin1', 0, RESULT.length) === RESULT ? idAtEnd(line) : undefined;
}

function idAtEnd(line: Buffer): number | undefined {
  const [, id] = ENDS_WITH_ID.exec(line.toString('latin1', Math.max(0, line.length - LONGEST_END))) ?? [];
  return id === undefined ? undefined : Number(id);
}

function parse(line: Buffer): unknown {
  if (line.length > PARSED_UP_TO) return envelopeOf(line);
  try {
    return JSON.parse(line.toString('utf8'));
  } catch {
    return undefined;
  }
}

const ENVELOPE = { id: CUT, method: CUT } as const;
/** A longer id or method is not one that a client uses. */
const LONGEST_FIELD = 1_024;

/** The id and method of a long line, or of each message of a batch. Its other fields are not read. */
function envelopeOf(line: Buffer): unknown {
  const batched = isBatch(line);
  const depth = batched ? 1 : 0;
  const scanner = createJsonScanner(batched ? [ENVELOPE] : ENVELOPE, LONGEST_FIELD);
  const envelopes: Record<string, unknown>[] = [];
  for (const piece of scanner.push(line)) {
    if (piece.kind === 'begin' && piece.path.length === depth) envelopes.push({});
    const envelope = envelopes.at(-1);
    if (piece.kind === 'value' && envelope) envelope[piece.path[depth] ?? ''] = parse(piece.bytes);
  }
  if (!scanner.isComplete()) return undefined;
  return batched ? envelopes : envelopes[0];
}

function isBatch(line: Buffer): boolean {
  const first = line.findIndex((byte) => byte !== 0x20 && byte !== 0x09 && byte !== 0x0d);
  return line[first] === 0x5b;
}
