import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';

const GUID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';
const [BINARY, CLOSE, PING, PONG] = [2, 8, 9, 10];

/** The server's end of a WebSocket, for clients that send whole binary messages. */
export interface ServerWebSocket {
  send(message: Buffer): void;
  onMessage(take: (message: Buffer) => void): void;
  onClose(tell: () => void): void;
  /** Ends it in an orderly way. */
  close(): void;
  /** Cuts it. */
  destroy(): void;
}

export function acceptWebSocket(request: IncomingMessage, socket: Duplex): ServerWebSocket {
  const accepted = createHash('sha1').update(`${request.headers['sec-websocket-key']}${GUID}`).digest('base64');
  socket.write(
    `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accepted}\r\n\r\n`,
  );
  let bytes = Buffer.alloc(0);
  let take: (message: Buffer) => void = () => {};
  socket.on('error', () => {});
  socket.on('data', (chunk: Buffer) => {
    bytes = Buffer.concat([bytes, chunk]);
    for (let frame = frameIn(bytes); frame; frame = frameIn(bytes)) {
      bytes = bytes.subarray(frame.length);
      if (frame.opcode === BINARY) take(frame.payload);
      if (frame.opcode === PING) write(PONG, frame.payload);
      if (frame.opcode === CLOSE) {
        write(CLOSE, frame.payload);
        socket.end();
      }
    }
  });

  function write(opcode: number, payload: Buffer): void {
    if (socket.writable) socket.write(Buffer.concat([headerOf(opcode, payload.length), payload]));
  }

  return {
    send: (message) => write(BINARY, message),
    onMessage(next) {
      take = next;
    },
    onClose: (tell) => void socket.on('close', tell),
    close() {
      write(CLOSE, Buffer.alloc(0));
      socket.end();
    },
    destroy: () => void socket.destroy(),
  };
}

function headerOf(opcode: number, length: number): Buffer {
  const first = 0x80 | opcode;
  if (length < 126) return Buffer.from([first, length]);
  const header = Buffer.alloc(length < 65_536 ? 4 : 10);
  header.writeUInt8(first, 0);
  header.writeUInt8(length < 65_536 ? 126 : 127, 1);
  if (length < 65_536) header.writeUInt16BE(length, 2);
  else header.writeBigUInt64BE(BigInt(length), 2);
  return header;
}

/** The first frame, if all of it is there. Frames of clients are masked. */
function frameIn(bytes: Buffer): { opcode: number; payload: Buffer; length: number } | undefined {
  if (bytes.length < 2) return undefined;
  const short = bytes.readUInt8(1) & 0x7f;
  const start = short === 126 ? 4 : short === 127 ? 10 : 2;
  if (bytes.length < start + 4) return undefined;
  const size = short === 126 ? bytes.readUInt16BE(2) : short === 127 ? Number(bytes.readBigUInt64BE(2)) : short;
  const length = start + 4 + size;
  if (bytes.length < length) return undefined;
  const mask = bytes.subarray(start, start + 4);
  const payload = Buffer.from(bytes.subarray(start + 4, length));
  for (let index = 0; index < payload.length; index++) payload[index] = (payload[index] ?? 0) ^ (mask[index % 4] ?? 0);
  return { opcode: bytes.readUInt8(0) & 0x0f, payload, length };
}
