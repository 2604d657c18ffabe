import { CONTROL, environmentWarning, type Hello, ownHello } from '../lib/daemon-hello.ts';
import { createLineCutter } from '../lib/lines.ts';
import { stopSignal } from '../lib/stop-signal.ts';
import { visibleLines } from '../lib/visible.ts';
import { type DaemonAttachment, isDaemonThere } from './attach.ts';
import { type FoundDaemon, findDaemon } from './find-daemon.ts';
import { createInFlight } from './in-flight.ts';
import * as states from './state.ts';

export interface ShimOptions {
  home: string;
  /** The program to start a daemon from. */
  program: string;
  only: readonly string[];
  readOnly: boolean;
  /** Whether a daemon may be started where none runs. */
  mayStart: boolean;
  /** The session that an earlier owner of the home held for this client. */
  session?: string;
  /** Called when no daemon could be found at the start; without it, the reason is written to standard error. */
  onFailed?(failed: { message: string; exitCode: number }): never;
}

/** There is no daemon, and none may be started: this process continues without one, with its input. */
export interface Alone {
  session?: string;
}

/** A line beyond this is passed on in pieces: it is the daemon's to refuse, and not ours to hold. */
const HOLD_UP_TO = 8 * 1024 * 1024;
const KEEPS_DYING: FoundDaemon = {
  kind: 'failed',
  message: 'The Switchboard daemon ends again and again.',
  exitCode: 1,
};
/** How often an idle shim checks whether another process has started a daemon. */
const REST_MS = 1_000;
const WARN_AFTER_MS = 200;
const NEWLINE = 0x0a;

/** The destination of the lines of the client. */
type Connection =
  | { kind: 'searching' }
  | { kind: 'attached'; attachment: DaemonAttachment }
  /** Until the client sends something, or another process has started a daemon. */
  | { kind: 'resting'; timer: NodeJS.Timeout }
  | { kind: 'over' };

/** A running shim: its state, and what it is connected to. */
interface Shim {
  options: ShimOptions;
  introduction: Hello;
  stop: AbortSignal;
  inFlight: ReturnType<typeof createInFlight>;
  fromClient: ReturnType<typeof createLineCutter>;
  state: states.ShimState;
  connection: Connection;
  /** Resolves when it ends. */
  over: PromiseWithResolvers<number | Alone>;
  /** Stops reading and writing for the client. */
  detach(): void;
}

/**
 * `switchboard mcp`: passes bytes between an assistant and the daemon. It parses nothing but requests and their ids,
 * so that when the daemon dies it can answer requests in flight, find or start another one, and continue.
 */
export async function runShim(options: ShimOptions): Promise<number | Alone> {
  const shim = createShim(options, { ...ownHello('mcp'), only: options.only, read_only: options.readOnly });
  const [first] = await Promise.all([find(shim), openStreams()]);
  if (first.kind === 'stopped') return 0;
  if (first.kind === 'alone') return aloneWith(shim.state);
  if (first.kind === 'failed') return options.onFailed ? options.onFailed(first) : report(first);
  const warn = soon(environmentWarning(first.attachment.reply));
  listenToClient(shim);
  use(shim, first.attachment);
  return shim.over.promise.finally(warn);
}

/** Opening standard error takes longer than attaching, so a warning waits until the first requests are answered, or the end. */
function soon(warning: string | undefined): () => void {
  if (warning === undefined) return () => {};
  const write = () => {
    clearTimeout(timer);
    if (!isWritten) tell(warning.trimEnd());
    isWritten = true;
  };
  let isWritten = false;
  const timer = setTimeout(write, WARN_AFTER_MS).unref();
  return write;
}

function createShim(options: ShimOptions, introduction: Hello): Shim {
  const lines: Buffer[] = [];
  const cutter = createLineCutter((line) => lines.push(line), {
    holdUpTo: HOLD_UP_TO,
    onPiece(piece) {
      takeLines();
      passOn(shim);
      passPiece(shim, piece);
    },
  });
  const takeLines = () => {
    shim.state = states.queued(shim.state, lines.splice(0));
  };
  const shim: Shim = {
    options,
    introduction,
    stop: stopSignal({ withParent: true }),
    inFlight: createInFlight(),
    fromClient: {
      push(chunk) {
        cutter.push(chunk);
        takeLines();
      },
      rest: cutter.rest,
    },
    state: states.initialState(options.session),
    connection: { kind: 'searching' },
    over: Promise.withResolvers(),
    detach() {},
  };
  return shim;
}

function find({ options, introduction, state, stop }: Shim): Promise<FoundDaemon> {
  const notBefore = state.goodbye?.notBefore ?? 0;
  return findDaemon({ ...options, hello: states.helloIn(state, introduction), notBefore, stop });
}

function listenToClient(shim: Shim): void {
  const { stdin, stdout } = process;
  const onInput = (chunk: Buffer) => {
    shim.fromClient.push(chunk);
    passOn(shim);
  };
  const onEnd = () => endInput(shim);
  const onClosed = () => finish(shim, 0);
  shim.detach = () => {
    stdin.off('data', onInput).off('end', onEnd).off('error', onEnd).off('close', onEnd);
    stdout.off('error', onClosed);
    shim.stop.removeEventListener('abort', onEnd);
  };
  stdin.on('data', onInput).once('end', onEnd).once('error', onEnd).once('close', onEnd);
  stdout.on('error', onClosed);
  shim.stop.addEventListener('abort', onEnd, { once: true });
  if (shim.stop.aborted) onEnd();
}

function passOn(shim: Shim): void {
  const { queue } = shim.state;
  if (queue.length === 0) return;
  if (shim.connection.kind === 'resting') return void reattach(shim);
  if (shim.connection.kind !== 'attached') return;
  shim.state = states.dequeued(shim.state);
  send(shim.connection.attachment, joined(queue));
  // Looked at while the daemon is at work already.
  for (const line of queue) shim.inFlight.asked(line);
}

function passPiece(shim: Shim, piece: Buffer): void {
  const { connection } = shim;
  const isEnd = piece.at(-1) === NEWLINE;
  const { state, action } = states.pieceArrived(shim.state, { isAttached: connection.kind === 'attached', isEnd });
  shim.state = state;
  if (action === 'refuse') refuse(null, 'The Switchboard daemon ended while this line was read.');
  if (action === 'send' && connection.kind === 'attached') send(connection.attachment, piece);
}

function send({ socket }: DaemonAttachment, bytes: Buffer): void {
  if (socket.write(bytes) || socket.listenerCount('drain') > 0) return;
  process.stdin.pause();
  socket.once('drain', () => process.stdin.resume());
}

/** The client has disconnected, or this process is asked to end: pending requests are still answered. */
function endInput(shim: Shim): void {
  if (shim.state.hasInputEnded) return;
  shim.state = states.inputEnded(shim.state, shim.fromClient.rest());
  process.stdin.pause();
  if (shim.connection.kind === 'resting' && shim.state.queue.length === 0) return finish(shim, 0);
  passOn(shim);
  if (shim.connection.kind === 'attached') shim.connection.attachment.socket.end();
}

function use(shim: Shim, attachment: DaemonAttachment): void {
  const { socket } = attachment;
  shim.connection = { kind: 'attached', attachment };
  shim.state = states.attached(shim.state);
  const onGone = () => lost(shim, attachment);
  listenToDaemon(shim, attachment);
  // A half-closed connection is useless: when the daemon has ended its side, we do too.
  socket.once('end', () => socket.end());
  socket.once('close', onGone);
  socket.resume();
  if (socket.destroyed) return onGone();
  passOn(shim);
  if (shim.state.hasInputEnded) socket.end();
  else process.stdin.resume();
}

function listenToDaemon(shim: Shim, { socket }: DaemonAttachment): void {
  const { stdout } = process;
  const lines: Buffer[] = [];
  const cutter = createLineCutter((line) => {
    if (line[0] === CONTROL) control(shim, line.subarray(1).toString('utf8').trimEnd());
    else lines.push(line);
  });
  socket.on('data', (chunk: Buffer) => {
    cutter.push(chunk);
    if (lines.length === 0) return;
    const answers = lines.splice(0);
    shim.state = states.answered(shim.state);
    const hasRoom = stdout.write(joined(answers));
    for (const line of answers) shim.inFlight.answered(line);
    if (hasRoom) return;
    socket.pause();
    stdout.once('drain', () => socket.resume());
  });
}

function control(shim: Shim, line: string): void {
  if (line.startsWith('stderr ')) tell(line.slice('stderr '.length));
  else shim.state = states.controlled(shim.state, line, Date.now());
}

function lost(shim: Shim, attachment: DaemonAttachment): void {
  if (shim.connection.kind !== 'attached' || shim.connection.attachment !== attachment) return;
  shim.connection = { kind: 'searching' };
  if (shim.state.exitCode !== undefined) return finish(shim, shim.state.exitCode);
  const settled = shim.inFlight.settle(shim.state.goodbye ? 'in good order' : 'dead');
  for (const id of settled.owed) {
    refuse(id, 'The Switchboard daemon ended while this request ran; whether it took effect is not known.');
  }
  const { state, next } = states.disconnected(shim.state, settled);
  shim.state = state;
  if (next === 'finish') finish(shim, 0);
  else if (next === 'rest') rest(shim);
  else void reattach(shim);
}

function rest(shim: Shim): void {
  shim.connection = { kind: 'resting', timer: setTimeout(() => void lookAround(shim), REST_MS) };
  process.stdin.resume();
}

async function lookAround(shim: Shim): Promise<void> {
  const { options, introduction, state } = shim;
  const isThere = await isDaemonThere(options.home, states.helloIn(state, introduction));
  if (shim.connection.kind !== 'resting') return;
  if (isThere) await reattach(shim);
  else rest(shim);
}

async function reattach(shim: Shim): Promise<void> {
  if (shim.connection.kind === 'resting') clearTimeout(shim.connection.timer);
  shim.connection = { kind: 'searching' };
  process.stdin.pause();
  const found = states.keepsDying(shim.state) ? KEEPS_DYING : await find(shim);
  if (found.kind === 'attached') return use(shim, found.attachment);
  if (found.kind === 'alone' && !shim.state.hasInputEnded) return goAlone(shim);
  const why = found.kind === 'failed' ? found.message : 'The Switchboard daemon ended.';
  for (const line of shim.state.queue) shim.inFlight.asked(line);
  for (const id of shim.inFlight.settle('owe all').owed) refuse(id, why);
  finish(shim, found.kind === 'failed' ? report(found) : 0);
}

/** Puts back what was read, for the part of the program that serves the client from here on. */
function goAlone(shim: Shim): void {
  shim.detach();
  const unread = Buffer.concat([...shim.state.queue, shim.fromClient.rest()]);
  if (unread.length > 0) process.stdin.unshift(unread);
  shim.over.resolve(aloneWith(shim.state));
}

function finish(shim: Shim, code: number): void {
  const { connection, over } = shim;
  if (connection.kind === 'over') return;
  shim.connection = { kind: 'over' };
  if (connection.kind === 'resting') clearTimeout(connection.timer);
  if (connection.kind === 'attached') connection.attachment.socket.destroy();
  const { stdin, stdout } = process;
  stdin.removeAllListeners().destroy();
  // A write to a client that has stopped reading fails, is reported as an error and would bring us here again.
  if (stdout.errored) over.resolve(code);
  else stdout.write('', () => over.resolve(code));
}

function refuse(id: string | number | null, message: string): void {
  const error = { code: -32603, message, data: { code: 'SERVICE_UNAVAILABLE', reason: 'daemon_lost' } };
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, error })}\n`);
}

function report({ message, exitCode }: Extract<FoundDaemon, { kind: 'failed' }>): number {
  tell(`switchboard: ${message}`);
  return exitCode;
}

function tell(text: string): void {
  process.stderr.write(`${visibleLines(text)}\n`);
}

function aloneWith({ session }: states.ShimState): Alone {
  return session === undefined ? {} : { session };
}

function joined(lines: readonly Buffer[]): Buffer {
  return lines.length === 1 && lines[0] ? lines[0] : Buffer.concat(lines);
}

/** Creates our stdio streams while the daemon processes our hello; stderr is created on first use. */
async function openStreams(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
  void process.stdin;
  void process.stdout;
}
