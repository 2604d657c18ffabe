import type { IncomingMessage } from 'node:http';
import { createIdScanner } from './id-scanner.ts';

export interface ServerEvent {
  /** `message` unless the server names it otherwise. */
  type: string;
  data: string;
}

export interface EventHandlers {
  /** Of the data of one event. */
  maxBytes: number;
  onEvent(event: ServerEvent): void;
  /** The data of an event was over the limit; the id of the answer in it, where it was found. */
  onTooLarge(id: string | number | null): void;
  /** Each event may have an id, with which the stream can be continued. */
  onId?(id: string): void;
  onRetry?(milliseconds: number): void;
}

const [NEWLINE, RETURN, COLON, SPACE] = [0x0a, 0x0d, 0x3a, 0x20];
const MAX_FIELD_BYTES = 4_096;

/** Parses server-sent events that arrive in chunks. The data of one event is in memory, up to the limit. */
export function createEventParser({ maxBytes, onEvent, onTooLarge, onId, onRetry }: EventHandlers) {
  let parts: Buffer[] = [];
  let lineBytes = 0;
  let skipped: ReturnType<typeof createIdScanner> | undefined;
  let isAfterReturn = false;
  let [type, data, dataBytes, hasData] = ['', '', 0, false];

  function push(chunk: Buffer): void {
    let start = isAfterReturn && chunk[0] === NEWLINE ? 1 : 0;
    if (chunk.length > 0) isAfterReturn = false;
    let nextReturn = chunk.indexOf(RETURN, start);
    for (;;) {
      const nextNewline = chunk.indexOf(NEWLINE, start);
      if (nextReturn !== -1 && nextReturn < start) nextReturn = chunk.indexOf(RETURN, start);
      const end = nextReturn === -1 || (nextNewline !== -1 && nextNewline < nextReturn) ? nextNewline : nextReturn;
      if (end === -1) break;
      hold(chunk.subarray(start, end));
      finishLine();
      start = end + 1;
      if (end !== nextReturn) continue;
      if (start === chunk.length) isAfterReturn = true;
      else if (chunk[start] === NEWLINE) start += 1;
    }
    if (start < chunk.length) hold(chunk.subarray(start));
  }

  function hold(piece: Buffer): void {
    lineBytes += piece.length;
    if (skipped) return skipped.push(piece);
    parts.push(piece);
    if (dataBytes + lineBytes <= maxBytes + MAX_FIELD_BYTES) return;
    skipped = createIdScanner('answer');
    skipped.push(Buffer.from(data));
    const line = Buffer.concat(parts);
    skipped.push(line.subarray(line.indexOf(COLON) + 1));
    parts = [];
    data = '';
  }

  function finishLine(): void {
    const isEmpty = lineBytes === 0;
    if (isEmpty) finishEvent();
    else if (!skipped) takeField(parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts));
    parts = [];
    lineBytes = 0;
  }

  function takeField(line: Buffer): void {
    const colon = line.indexOf(COLON);
    const name = line.toString('latin1', 0, colon === -1 ? Math.min(line.length, 16) : colon);
    const from = colon === -1 ? line.length : colon + (line[colon + 1] === SPACE ? 2 : 1);
    if (name === 'data') {
      const text = line.toString('utf8', from);
      data = hasData ? `${data}\n${text}` : text;
      dataBytes += line.length - from;
      hasData = true;
    } else if (line.length > MAX_FIELD_BYTES) return;
    else if (name === 'event') type = line.toString('utf8', from);
    else if (name === 'id') takeId(line.toString('utf8', from));
    else if (name === 'retry') takeRetry(line.toString('latin1', from));
  }

  function takeId(id: string): void {
    // It is sent back as a header.
    if (/^[\x21-\x7e]{1,1000}$/.test(id)) onId?.(id);
  }

  function takeRetry(text: string): void {
    if (/^\d{1,9}$/.test(text)) onRetry?.(Number(text));
  }

  function finishEvent(): void {
    if (skipped) onTooLarge(skipped.id());
    else if (hasData) onEvent({ type: type === '' ? 'message' : type, data });
    skipped = undefined;
    [type, data, dataBytes, hasData] = ['', '', 0, false];
  }

  return { push };
}

/** Parses a response until it ends. Rejects if it breaks. */
export function readEvents(response: IncomingMessage, handlers: EventHandlers): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const parser = createEventParser(handlers);
  response.on('data', parser.push).once('end', resolve).once('error', reject);
  response.once('close', () => reject(new Error('the stream was closed')));
  return promise;
}
