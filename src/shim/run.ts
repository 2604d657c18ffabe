import { CONTROL, fingerprints, type Hello } from '../lib/daemon-hello.ts';
import { createLineCutter } from '../lib/lines.ts';
import { stopSignal } from '../lib/stop-signal.ts';
import { version } from '../lib/version.ts';
import type { Attachment } from './attach.ts';
import { findDaemon } from './find-daemon.ts';
import { createInFlight } from './in-flight.ts';

export interface ShimOptions {
  home: string;
  program: string;
  only: readonly string[];
  readOnly: boolean;
}

/**
 * `switchboard mcp`: passes bytes between an assistant and the daemon. It looks at nothing but request ids, so that
 * when the daemon dies it can answer what was in flight, find or start another one, and go on.
 */
export async function runShim(options: ShimOptions): Promise<number | 'alone'> {
  const { stdin, stdout, stderr } = process;
  const inFlight = createInFlight();
  const stop = stopSignal({ withParent: true });
  const env = await fingerprints(process.env);
  const over = Promise.withResolvers<number>();
  let queue: Buffer[] = [];
  /** What was sent before the first answer: another daemon can be asked the same again. */
  let opening: Buffer[] | undefined = [];
  let attachment: Attachment | undefined;
  let session: string | undefined;
  let notBefore = 0;
  let ended = false;
  /** The daemon was stopped on purpose: none is needed before the client says something again. */
  let resting = false;
  let exitCode: number | undefined;

  function hello(): Hello {
    const { TMUX, TMUX_PANE } = process.env;
    return {
      v: 1,
      door: 'mcp',
      version: version(),
      only: options.only,
      read_only: options.readOnly,
      cwd: process.cwd(),
      pid: process.pid,
      ppid: process.ppid,
      ...(TMUX === undefined ? {} : { tmux: TMUX }),
      ...(TMUX_PANE === undefined ? {} : { tmux_pane: TMUX_PANE }),
      ...(session === undefined ? {} : { session }),
      env,
    };
  }

  const first = await findDaemon({ ...options, hello: hello() });
  if (first.kind === 'alone') return 'alone';
  if (first.kind === 'failed') return fail(first.message);
  const { differs = [] } = first.attachment.reply;
  if (differs.length > 0) {
    stderr.write(`switchboard: the running daemon was started with other values of ${differs.join(', ')}.\n`);
  }

  const fromClient = createLineCutter(toDaemon);
  stdin.on('data', (chunk: Buffer) => fromClient.push(chunk));
  stdin.once('end', endInput).once('error', endInput).once('close', endInput);
  stdout.on('error', () => finish(0));
  stop.addEventListener('abort', endInput, { once: true });
  if (stop.aborted) endInput();
  use(first.attachment);
  return over.promise;

  function toDaemon(line: Buffer): void {
    if (!attachment) {
      queue.push(line);
      if (resting) void reattach();
      return;
    }
    inFlight.asked(line);
    opening?.push(line);
    if (attachment.socket.write(line)) return;
    stdin.pause();
    attachment.socket.once('drain', () => stdin.resume());
  }

  function endInput(): void {
    if (ended) return;
    ended = true;
    const rest = fromClient.rest();
    if (rest.length > 0) toDaemon(Buffer.concat([rest, Buffer.from('\n')]));
    stdin.pause();
    attachment?.socket.end();
    if (resting) finish(0);
  }

  function use(next: Attachment): void {
    attachment = next;
    let lines: Buffer[] = [];
    const fromDaemon = createLineCutter((line) => {
      if (line[0] === CONTROL) return control(line.subarray(1).toString('utf8').trimEnd());
      inFlight.answered(line);
      opening = undefined;
      lines.push(line);
    });
    const { socket } = next;
    socket.on('data', (chunk: Buffer) => {
      fromDaemon.push(chunk);
      if (lines.length === 0) return;
      const text = lines.length === 1 ? lines[0] : Buffer.concat(lines);
      lines = [];
      if (text === undefined || stdout.write(text)) return;
      socket.pause();
      stdout.once('drain', () => socket.resume());
    });
    // Half of a connection is none: when the daemon has said its last, so have we.
    socket.once('end', () => socket.end());
    socket.once('close', () => void lost());
    socket.resume();
    const waiting = queue;
    queue = [];
    for (const line of waiting) toDaemon(line);
    if (ended) socket.end();
    else stdin.resume();
  }

  function control(line: string): void {
    const [word = '', ...rest] = line.split(' ');
    const argument = rest.join(' ');
    if (word === 'session') session = argument;
    if (word === 'stderr') stderr.write(`${argument}\n`);
    if (word === 'exit') exitCode = Number(argument);
    if (word === 'wait') notBefore = Date.now() + Number(argument);
    if (word === 'rest') resting = true;
  }

  async function lost(): Promise<void> {
    attachment = undefined;
    if (exitCode !== undefined) return finish(exitCode);
    if (ended) {
      refuseAll();
      return finish(0);
    }
    // Nothing has been answered yet, so that nothing is done twice by asking again.
    if (opening) {
      inFlight.takeAll();
      queue = [...opening, ...queue];
      opening = [];
    } else refuseAll();
    if (!resting || queue.length > 0) await reattach();
  }

  async function reattach(): Promise<void> {
    resting = false;
    stdin.pause();
    const found = await findDaemon({ ...options, hello: hello(), notBefore });
    if (found.kind === 'attached') return use(found.attachment);
    finish(fail(found.kind === 'failed' ? found.message : 'The daemon ended, and no other may be started.'));
  }

  function refuseAll(): void {
    for (const id of inFlight.takeAll()) {
      const error = {
        code: -32603,
        message: 'The Switchboard daemon ended while this request ran; whether it took effect is not known.',
        data: { code: 'SERVICE_UNAVAILABLE', reason: 'daemon_lost' },
      };
      stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, error })}\n`);
    }
  }

  function finish(code: number): void {
    stdin.removeAllListeners();
    stdin.destroy();
    attachment?.socket.destroy();
    stdout.write('', () => over.resolve(code));
  }

  function fail(message: string): number {
    stderr.write(`switchboard: ${message}\n`);
    return 1;
  }
}
