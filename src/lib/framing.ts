import { createIdScanner, type RequestId } from './id-scanner.ts';

/** One line of the stdio transport. */
export type Frame =
  | { kind: 'message'; message: unknown }
  | { kind: 'malformed'; text: string }
  /** Over the limit: not kept, but scanned for the id. */
  | { kind: 'too-long'; id: RequestId | null };

const NEWLINE = 0x0a;

export interface Framing {
  maxLineBytes: number;
  /** Whether a line over the limit has the id of a request or of an answer. */
  idOf: 'request' | 'answer';
  onFrame(frame: Frame): void;
}

/**
 * Splits a byte stream into lines of JSON. A line over the limit is skipped to its end without being kept in memory;
 * no input can break the framing.
 */
export function createFramer({ maxLineBytes, idOf, onFrame }: Framing) {
  let parts: Buffer[] = [];
  let size = 0;
  let skipping: ReturnType<typeof createIdScanner> | undefined;

  function push(chunk: Buffer): void {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      take(chunk.subarray(start, end));
      finishLine();
      start = end + 1;
    }
    if (start < chunk.length) take(chunk.subarray(start));
  }

  function take(piece: Buffer): void {
    if (skipping) {
      skipping.push(piece);
      return;
    }
    parts.push(piece);
    size += piece.length;
    if (size <= maxLineBytes) return;
    skipping = createIdScanner(idOf);
    for (const part of parts) skipping.push(part);
    parts = [];
  }

  function finishLine(): void {
    if (skipping) onFrame({ kind: 'too-long', id: skipping.id() });
    else if (size > 0) parseLine(parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts, size));
    parts = [];
    size = 0;
    skipping = undefined;
  }

  function parseLine(line: Buffer): void {
    const text = line.toString('utf8');
    if (text.trim() === '') return;
    let message: unknown;
    try {
      message = JSON.parse(text);
    } catch {
      onFrame({ kind: 'malformed', text });
      return;
    }
    onFrame({ kind: 'message', message });
  }

  /** The stream has ended: what follows the last newline is a line, too. */
  return { push, end: finishLine };
}
