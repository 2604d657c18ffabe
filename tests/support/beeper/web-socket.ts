import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';

const MAGIC = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';
const [TEXT, CLOSE] = [0x1, 0x8];

/** The server's end of a WebSocket: text messages up to what fits into one frame of a client. */
export interface ServerSocket {
  send(text: string): void;
}

/** Accepts a WebSocket. */
export function acceptWebSocket(
  request: IncomingMessage,
  socket: Duplex,
  { onText, onEnd }: { onText(text: string, from: ServerSocket): void; onEnd(): void },
): ServerSocket {
  const accepted = createHash('sha1').update(`${request.headers['sec-websocket-key']}${MAGIC}`).digest('base64');
  socket.write(
    `HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: Upgrade\r\nsec-websocket-accept: ${accepted}\r\n\r\n`,
  );
  const self = { send: (text: string) => void (socket.writable && socket.write(frame(TEXT, Buffer.from(text)))) };
  let held = Buffer.alloc(0);
  socket.on('error', () => {});
  socket.once('close', onEnd);
  // It stays half open otherwise.
  socket.once('end', () => socket.end());
  socket.on('data', (chunk: Buffer) => {
    held = Buffer.concat([held, chunk]);
    for (let next = readFrame(held); next; next = readFrame(held)) {
      held = held.subarray(next.size);
      if (next.code === TEXT) onText(next.payload.toString('utf8'), self);
      if (next.code === CLOSE) socket.end(frame(CLOSE, next.payload));
    }
  });
  return self;
}

function frame(code: number, payload: Buffer): Buffer {
  const length = payload.length;
  const head = Buffer.alloc(length < 126 ? 2 : length < 65_536 ? 4 : 10);
  head[0] = 0x80 | code;
  if (head.length === 2) head[1] = length;
  else if (head.length === 4) {
    head[1] = 126;
    head.writeUInt16BE(length, 2);
  } else {
    head[1] = 127;
    head.writeBigUInt64BE(BigInt(length), 2);
  }
  return Buffer.concat([head, payload]);
}

/** Frames of clients are masked. */
function readFrame(bytes: Buffer): { code: number; payload: Buffer; size: number } | undefined {
  if (bytes.length < 2) return undefined;
  const short = (bytes[1] ?? 0) & 0x7f;
  const head = short < 126 ? 2 : 4;
  if (bytes.length < head + 4) return undefined;
  const length = head === 2 ? short : bytes.readUInt16BE(2);
  const size = head + 4 + length;
  if (bytes.length < size) return undefined;
  const mask = bytes.subarray(head, head + 4);
  const payload = Buffer.from(bytes.subarray(head + 4, size).map((byte, index) => byte ^ (mask[index % 4] ?? 0)));
  return { code: (bytes[0] ?? 0) & 0x0f, payload, size };
}
