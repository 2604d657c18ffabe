import { fstatSync, readFileSync } from 'node:fs';
import { CommandFailure, failedTo } from './failure.ts';

const STDIN = 0;
/** With a message in the arguments, a pipe without data is ignored. */
const MOMENT_MS = 250;
const SAY_AFTER_MS = 2_000;
const GIVE_UP_AFTER_MS = 60_000;

interface Options {
  /** Whether the arguments contain a message. */
  isOptional: boolean;
  say(text: string): void;
}

/** The piped input without its last line end; empty where standard input is neither a pipe nor a file. */
export async function readStdin(options: Options): Promise<string> {
  try {
    const kind = fstatSync(STDIN);
    if (kind.isCharacterDevice()) return '';
    const bytes = kind.isFile() ? readFileSync(STDIN) : await readPipe(options);
    return bytes.toString('utf8').replace(/\n$/, '');
  } catch (thrown) {
    throw failedTo('read stdin', thrown);
  }
}

/** Reads to the end, for a limited time: programs often leave a child a pipe that is never closed. */
async function readPipe({ isOptional, say }: Options): Promise<Buffer> {
  const { stdin } = process;
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const chunks: Buffer[] = [];
  const giveUp = () => {
    if (isOptional && chunks.length === 0) return resolve(Buffer.alloc(0));
    const seconds = GIVE_UP_AFTER_MS / 1_000;
    reject(new CommandFailure('TIMEOUT', `failed to read stdin: nothing came for ${seconds} s, and it was not closed`));
  };
  const saying = isOptional ? undefined : setTimeout(say, SAY_AFTER_MS, 'waiting for the message on standard input\n');
  let limit = setTimeout(giveUp, isOptional ? MOMENT_MS : GIVE_UP_AFTER_MS);
  stdin.on('data', (chunk: Buffer) => {
    clearTimeout(saying);
    clearTimeout(limit);
    limit = setTimeout(giveUp, GIVE_UP_AFTER_MS);
    chunks.push(chunk);
  });
  stdin.once('end', () => resolve(Buffer.concat(chunks)));
  stdin.once('error', reject);
  try {
    return await promise;
  } finally {
    clearTimeout(saying);
    clearTimeout(limit);
    stdin.destroy();
  }
}
