import type { Socket } from 'node:net';
import { AppError } from '../domain/errors.ts';
import type { Hello } from '../lib/daemon-hello.ts';
import { isRecord } from '../lib/is-record.ts';

const LONGEST_HELLO = 64 * 1024;
const DOORS: ReadonlySet<unknown> = new Set<Hello['door']>(['mcp', 'cli', 'takeover', 'stop', 'status']);

/** The first line on a connection; what follows it remains in the socket. */
export function readHello(socket: Socket, timeoutMs: number): Promise<Hello> {
  const { promise, resolve, reject } = Promise.withResolvers<Hello>();
  const parts: Buffer[] = [];
  let size = 0;
  const onData = (chunk: Buffer) => {
    const end = chunk.indexOf(0x0a);
    const piece = end === -1 ? chunk : chunk.subarray(0, end);
    parts.push(piece);
    size += piece.length;
    if (size > LONGEST_HELLO) return reject(new Error('a hello that is too long'));
    if (end === -1) return;
    socket.pause().off('data', onData);
    const rest = chunk.subarray(end + 1);
    if (rest.length > 0) socket.unshift(rest);
    try {
      resolve(parseHello(Buffer.concat(parts).toString('utf8')));
    } catch (error) {
      reject(error);
    }
  };
  const onGone = () => reject(new Error('gone before it said hello'));
  socket.on('data', onData).once('end', onGone).once('close', onGone).setTimeout(timeoutMs, onGone);
  return promise.finally(() =>
    socket.off('data', onData).off('end', onGone).off('close', onGone).setTimeout(0).removeAllListeners('timeout'),
  );
}

function parseHello(text: string): Hello {
  const hello = parsed(text);
  if (!isHello(hello)) throw new AppError('VALIDATION_ERROR', 'This is not the hello of a Switchboard program.');
  return hello;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isHello(value: unknown): value is Hello {
  if (!isRecord(value)) return false;
  const { v, door, version, env, only, read_only, session, heard, cwd, pid, ppid, tmux, tmux_pane, assistant } = value;
  return (
    v === 1 &&
    DOORS.has(door) &&
    [version, cwd].every((text) => typeof text === 'string') &&
    [pid, ppid].every((id) => Number.isInteger(id)) &&
    [session, tmux, tmux_pane, assistant].every((text) => text === undefined || typeof text === 'string') &&
    (heard === undefined || Number.isSafeInteger(heard)) &&
    (read_only === undefined || typeof read_only === 'boolean') &&
    (only === undefined || isTexts(only)) &&
    isRecord(env) &&
    isTexts(Object.values(env))
  );
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((each) => typeof each === 'string');
}
