import { EventEmitter } from 'node:events';
import { connect as connectPlain, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { createLineCutter } from '../../lib/lines.ts';

export interface TransportSettings {
  host: string;
  port: number;
  tls: boolean;
  /** Certificates to trust instead of the usual ones. */
  ca: string | undefined;
  connectMs: number;
  /** After so long without a word of the server it is asked for one, and after as long again it is gone. */
  silenceMs: number;
}

/** What a client sees of a socket that speaks in lines. */
export interface Transport extends EventEmitter {
  connect(): void;
  writeLine(line: string, written?: () => void): void;
  close(force: boolean): void;
  disposeSocket(): void;
  setEncoding(encoding: string): boolean;
  /** Why it broke, where the reason is known. */
  failure(): Error | undefined;
  /** Holds the server back, or lets it go on. */
  hold(isHeld: boolean): void;
}

/** A line with all its tags has at most 8,703 bytes; a server that sends more does not speak IRC. */
const MAX_LINE = 65_536;
const strict = new TextDecoder('utf-8', { fatal: true });

/**
 * The socket below the library, in place of its own: that one trusts no certificate of ours, keeps a line of any length,
 * and lets an error in a handler end the process.
 */
export function createTransport(settings: TransportSettings, onLine: (line: string) => boolean): Transport {
  let socket: Socket | undefined;
  let failure: Error | undefined;
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
    made.setTimeout(connectMs, () => breakOff(new Error('the server did not answer in time')));
    made.once(tls ? 'secureConnect' : 'connect', () => {
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
    hold: (isHeld: boolean) => void (isHeld ? socket?.pause() : socket?.resume()),
  });
  return transport;
}

/** The protocol says nothing of encodings. What is not UTF-8 is most often Latin-1, and always readable as such. */
function decode(bytes: Buffer): string {
  try {
    return strict.decode(bytes);
  } catch {
    return bytes.toString('latin1');
  }
}
