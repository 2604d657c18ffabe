import { EventEmitter } from 'node:events';
import { connect as connectPlain, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { createLineCutter } from '../../lib/lines.ts';
import { noAnswer } from '../connection-failure.ts';

export interface TransportSettings {
  host: string;
  port: number;
  tls: boolean;
  /** Certificates to trust instead of the default ones. */
  ca: string | undefined;
  connectMs: number;
  /** After this silence a ping is sent; after the same time again the connection is considered lost. */
  silenceMs: number;
}

/** The socket interface that the library expects. */
export interface Transport extends EventEmitter {
  connect(): void;
  writeLine(line: string, written?: () => void): void;
  close(force: boolean): void;
  disposeSocket(): void;
  setEncoding(encoding: string): boolean;
  /** Why it failed, if known. */
  failure(): Error | undefined;
  /** Whether the server was reached, and what it sent first. */
  reached(): { beginning: Buffer | undefined } | undefined;
  /** Pauses or resumes reading from the server. */
  hold(isHeld: boolean): void;
}

/** A line with all its tags has at most 8,703 bytes; longer ones are a protocol error. */
const MAX_LINE = 65_536;
const strict = new TextDecoder('utf-8', { fatal: true });

/**
 * Replaces the library's own socket, which supports no custom certificate, buffers lines of any length, and lets an
 * error in a handler end the process.
 */
export function createTransport(settings: TransportSettings, onLine: (line: string) => boolean): Transport {
  let socket: Socket | undefined;
  let failure: Error | undefined;
  let reached: { beginning: Buffer | undefined } | undefined;
  let isQuiet = false;

  const cutter = createLineCutter((bytes) => guarded(() => receive(decode(bytes))), {
    holdUpTo: MAX_LINE,
    onPiece: () => breakOff(new Error('the server sent a line without an end')),
  });

  function receive(line: string): void {
    if (onLine(line)) transport.emit('line', line);
  }

  function guarded(work: () => void): void {
    try {
      work();
    } catch (error) {
      breakOff(error instanceof Error ? error : new Error('a line could not be read'));
    }
  }

  function breakOff(error: Error): void {
    failure ??= error;
    socket?.destroy();
  }

  function askForSign(): void {
    if (socket?.isPaused()) return;
    if (isQuiet) return breakOff(new Error('the server fell silent'));
    isQuiet = true;
    socket?.write('PING :are-you-there\r\n');
  }

  function open(): void {
    const { host, port, tls, ca, connectMs, silenceMs } = settings;
    const name = isIP(host) === 0 ? { servername: host } : {};
    const made = tls
      ? connectTls({ host, port, ...name, ...(ca === undefined ? {} : { ca }) })
      : connectPlain(port, host);
    socket = made;
    made.setTimeout(connectMs, () => breakOff(noAnswer({ isConnected: tls && !made.connecting })));
    made.once(tls ? 'secureConnect' : 'connect', () => {
      reached = { beginning: undefined };
      made.once('data', (chunk: Buffer) => {
        reached = { beginning: chunk };
      });
      made.removeAllListeners('timeout');
      made.setTimeout(0);
      const watch = setInterval(askForSign, silenceMs);
      made.once('close', () => clearInterval(watch));
      made.on('data', (chunk: Buffer) => {
        isQuiet = false;
        watch.refresh();
        cutter.push(chunk);
      });
      transport.emit('open');
    });
    made.on('error', (error) => {
      failure ??= error;
    });
    made.once('close', () => transport.emit('close', failure ?? false));
  }

  const transport: Transport = Object.assign(new EventEmitter(), {
    connect: open,
    writeLine: (line: string, written?: () => void) => void socket?.write(`${line}\r\n`, () => written?.()),
    close: (force: boolean) => void (force || socket?.connecting ? socket?.destroy() : socket?.end()),
    disposeSocket: () => void socket?.destroy(),
    setEncoding: () => true,
    failure: () => failure,
    reached: () => reached,
    hold: (isHeld: boolean) => void (isHeld ? socket?.pause() : socket?.resume()),
  });
  return transport;
}

/** The protocol has no encoding. Text that is not UTF-8 is decoded as Latin-1. */
function decode(bytes: Buffer): string {
  try {
    return strict.decode(bytes);
  } catch {
    return bytes.toString('latin1');
  }
}
