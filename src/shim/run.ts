import { CONTROL, differenceWords, type Hello, ownHello } from '../lib/daemon-hello.ts';
import { createLineCutter } from '../lib/lines.ts';
import { stopSignal } from '../lib/stop-signal.ts';
import { type Attachment, isDaemonThere } from './attach.ts';
import { type Found, findDaemon } from './find-daemon.ts';
import { createInFlight } from './in-flight.ts';

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
  /** Tells in its own way that no daemon could be had at the start; else it is said here. */
  onFailed?(failed: { message: string; exitCode: number }): never;
}

/** There is no daemon, and none may be started: this process has to go on by itself, with what is in its input. */
export interface Alone {
  session?: string;
}

/** A line beyond this is passed on in pieces: it is the daemon's to refuse, and not ours to hold. */
const HOLD_UP_TO = 8 * 1024 * 1024;
/** Something that we say kills them: there is no use in starting yet another. */
const MOST_DEATHS = 5;
const KEEPS_DYING: Found = { kind: 'failed', message: 'The Switchboard daemon ends again and again.', exitCode: 1 };
/** How often a shim at rest looks whether somebody else has started a daemon. */
const REST_MS = 1_000;

/**
 * `switchboard mcp`: passes bytes between an assistant and the daemon. It looks at nothing but requests and their ids,
 * so that when the daemon dies it can answer what was in flight, find or start another one, and go on.
 */
export async function runShim(options: ShimOptions): Promise<number | Alone> {
  const inFlight = createInFlight();
  const stop = stopSignal({ withParent: true });
  const introduction: Hello = { ...(await ownHello('mcp')), only: options.only, read_only: options.readOnly };
  const over = Promise.withResolvers<number | Alone>();
  /** Lines of the client that no daemon has been given yet. */
  let queue: Buffer[] = [];
  let attachment: Attachment | undefined;
  let { session } = options;
  /** The last event that the client of this session was told of. */
  let heard: number | undefined;
  let goodbye: Goodbye | undefined;
  let resting: NodeJS.Timeout | undefined;
  let ended = false;
  let finished = false;
  let exitCode: number | undefined;
  /** Daemons that died without a word, one after the other. */
  let deaths = 0;
  let longLine: 'none' | 'passing' | 'cut' = 'none';

  const fromClient = createLineCutter((line) => queue.push(line), { holdUpTo: HOLD_UP_TO, onPiece: passPiece });

  const [first] = await Promise.all([find(), openStreams()]);
  const { stdin, stdout } = process;
  if (first.kind === 'stopped') return 0;
  if (first.kind === 'alone') return aloneWith(session);
  if (first.kind === 'failed') return options.onFailed ? options.onFailed(first) : fail(first);
  const difference = differenceWords(first.attachment.reply);
  if (difference) process.stderr.write(difference);
  stdin.on('data', onInput).once('end', endInput).once('error', endInput).once('close', endInput);
  stdout.on('error', onDeaf);
  stop.addEventListener('abort', endInput, { once: true });
  if (stop.aborted) endInput();
  use(first.attachment);
  return over.promise;

  function find(notBefore = 0): Promise<Found> {
    return findDaemon({ ...options, hello: hello(), notBefore, stop });
  }

  function hello(): Hello {
    if (session === undefined) return introduction;
    return { ...introduction, session, ...(heard === undefined ? {} : { heard }) };
  }

  function onDeaf(): void {
    finish(0);
  }

  function onInput(chunk: Buffer): void {
    fromClient.push(chunk);
    passOn();
  }

  function passOn(): void {
    if (queue.length === 0) return;
    if (resting) return void reattach();
    if (!attachment) return;
    const lines = queue;
    queue = [];
    send(lines.length === 1 && lines[0] ? lines[0] : Buffer.concat(lines));
    // Looked at while the daemon is at work already.
    for (const line of lines) inFlight.asked(line);
  }

  /** A piece of a line that is too long to be held; lines before it go first. */
  function passPiece(piece: Buffer): void {
    passOn();
    const isEnd = piece.at(-1) === 0x0a;
    if (!attachment || longLine === 'cut') {
      // A daemon that has not seen its beginning would take the rest of it for another line.
      if (longLine !== 'cut') refuse(null, 'The Switchboard daemon ended while this line was read.');
      longLine = isEnd ? 'none' : 'cut';
      return;
    }
    longLine = isEnd ? 'none' : 'passing';
    send(piece);
  }

  function send(bytes: Buffer): void {
    const socket = attachment?.socket;
    if (!socket || socket.write(bytes) || socket.listenerCount('drain') > 0) return;
    stdin.pause();
    socket.once('drain', () => stdin.resume());
  }

  /** The client is gone, or we are asked to end: what was asked is still answered. */
  function endInput(): void {
    if (ended) return;
    ended = true;
    const rest = fromClient.rest();
    if (rest.length > 0) queue.push(Buffer.concat([rest, Buffer.from('\n')]));
    stdin.pause();
    if (resting && queue.length === 0) return finish(0);
    passOn();
    attachment?.socket.end();
  }

  function use(next: Attachment): void {
    attachment = next;
    goodbye = undefined;
    const { socket } = next;
    let lines: Buffer[] = [];
    const fromDaemon = createLineCutter((line) => {
      if (line[0] === CONTROL) return control(line.subarray(1).toString('utf8').trimEnd());
      deaths = 0;
      lines.push(line);
    });
    socket.on('data', (chunk: Buffer) => {
      fromDaemon.push(chunk);
      if (lines.length === 0) return;
      const answers = lines;
      lines = [];
      const hasRoom = stdout.write(answers.length === 1 && answers[0] ? answers[0] : Buffer.concat(answers));
      for (const line of answers) inFlight.answered(line);
      if (hasRoom) return;
      socket.pause();
      stdout.once('drain', () => socket.resume());
    });
    // Half of a connection is none: when the daemon has said its last, so have we.
    socket.once('end', () => socket.end());
    socket.once('close', lost);
    socket.resume();
    if (socket.destroyed) return lost();
    passOn();
    if (ended) socket.end();
    else stdin.resume();
  }

  function control(line: string): void {
    const [word = '', ...rest] = line.split(' ');
    const argument = rest.join(' ');
    if (word === 'session') session = argument;
    if (word === 'heard') heard = Number(argument);
    if (word === 'stderr') process.stderr.write(`${argument}\n`);
    if (word === 'exit') exitCode = Number(argument);
    if (word === 'wait') goodbye = { notBefore: Date.now() + Number(argument), rests: false };
    if (word === 'rest') goodbye = { notBefore: 0, rests: true };
  }

  function lost(): void {
    if (!attachment) return;
    attachment = undefined;
    if (exitCode !== undefined) return finish(exitCode);
    if (!goodbye) deaths += 1;
    if (longLine === 'passing') longLine = 'cut';
    const { again, beginsAnew, owed } = inFlight.settle(goodbye ? 'in good order' : 'dead');
    for (const id of owed) {
      refuse(id, 'The Switchboard daemon ended while this request ran; whether it took effect is not known.');
    }
    if (beginsAnew) {
      session = undefined;
      heard = undefined;
    }
    queue = [...again, ...queue];
    if (queue.length > 0) return void reattach();
    if (ended) return finish(0);
    if (goodbye?.rests) return rest();
    void reattach();
  }

  /** Waits for the client to say something, or for a daemon that somebody else needs. */
  function rest(): void {
    resting = setTimeout(() => void lookAround(), REST_MS);
    stdin.resume();
  }

  async function lookAround(): Promise<void> {
    const isThere = await isDaemonThere(options.home, hello());
    if (!resting) return;
    if (isThere) await reattach();
    else rest();
  }

  async function reattach(): Promise<void> {
    clearTimeout(resting);
    resting = undefined;
    stdin.pause();
    const found = deaths > MOST_DEATHS ? KEEPS_DYING : await find(goodbye?.notBefore);
    if (found.kind === 'attached') return use(found.attachment);
    if (found.kind === 'alone' && !ended) return goAlone();
    const why = found.kind === 'failed' ? found.message : 'The Switchboard daemon ended.';
    for (const line of queue) inFlight.asked(line);
    for (const id of inFlight.settle('owe all').owed) refuse(id, why);
    finish(found.kind === 'failed' ? fail(found) : 0);
  }

  /** Puts back what was read, for whoever serves the client from here on. */
  function goAlone(): void {
    stdin.off('data', onInput).off('end', endInput).off('error', endInput).off('close', endInput);
    stdout.off('error', onDeaf);
    stop.removeEventListener('abort', endInput);
    const unread = Buffer.concat([...queue, fromClient.rest()]);
    if (unread.length > 0) stdin.unshift(unread);
    over.resolve(aloneWith(session));
  }

  function refuse(id: string | number | null, message: string): void {
    const error = { code: -32603, message, data: { code: 'SERVICE_UNAVAILABLE', reason: 'daemon_lost' } };
    stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, error })}\n`);
  }

  function finish(code: number): void {
    if (finished) return;
    finished = true;
    clearTimeout(resting);
    stdin.removeAllListeners().destroy();
    attachment?.socket.destroy();
    // Each write to a client that has stopped reading fails, is told as an error and would bring us here again.
    if (stdout.errored) over.resolve(code);
    else stdout.write('', () => over.resolve(code));
  }

  function fail({ message, exitCode: code }: Extract<Found, { kind: 'failed' }>): number {
    process.stderr.write(`switchboard: ${message}\n`);
    return code;
  }
}

/** Makes our own streams while the daemon looks at our hello; that of errors is made where there is one. */
async function openStreams(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
  void process.stdin;
  void process.stdout;
}

/** How a daemon said that it goes. */
interface Goodbye {
  notBefore: number;
  rests: boolean;
}

function aloneWith(session: string | undefined): Alone {
  return session === undefined ? {} : { session };
}
