import { Readable } from 'node:stream';
import { AppError } from '../domain/errors.ts';
import { type Command, type Field, type Input, nameOf, UsageError } from './command.ts';
import type { Stdin } from './terminal.ts';
import { quoted, readValue, WrongValue } from './values.ts';

const MAX_BYTES = 4 * 1024 * 1024;

/** The value of the field that a command reads from standard input. */
export async function readFromStdin(command: Command, field: Field, stdin: Stdin): Promise<unknown> {
  if (stdin.isTTY) {
    // Waiting would look like a hang, and typed text (a secret, perhaps) would remain on the screen.
    const message = `${nameOf(field)} is read from standard input: pipe it in, or redirect a file with <.`;
    throw new UsageError(message, { command, field });
  }
  const text = decode(command, field, await collect(field, stdin));
  try {
    return parseText(field, text);
  } catch (thrown) {
    if (!(thrown instanceof WrongValue)) throw thrown;
    throw new UsageError(`${nameOf(field)} on standard input ${thrown.message}.`, { command, field });
  }
}

/** What is piped into a command that takes it without being asked; nothing where standard input is a terminal, or empty. */
export async function readPipe(command: Command, input: Input, stdin: Stdin): Promise<Input> {
  const { stdin: field } = command.signature();
  if (!field || stdin.isTTY || input[nameOf(field)] !== undefined || !(await begins(stdin))) return {};
  const text = decode(command, field, await collect(field, stdin));
  return text.trim() === '' ? {} : { [nameOf(field)]: text };
}

/** A program that starts a command may leave its standard input open and write nothing. */
const FIRST_BYTE_MS = 3_000;

async function begins(stdin: Stdin): Promise<boolean> {
  const begun = Promise.withResolvers<boolean>();
  const begin = () => begun.resolve(true);
  const timer = setTimeout(() => begun.resolve(false), FIRST_BYTE_MS);
  stdin.once('readable', begin).once('end', begin).once('error', begin);
  const hasBegun = await begun.promise;
  clearTimeout(timer);
  stdin.off('readable', begin).off('end', begin).off('error', begin);
  // An open stream would keep the process from exiting.
  if (!hasBegun && stdin instanceof Readable) stdin.destroy();
  return hasBegun;
}

async function collect(field: Field, stdin: Stdin): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stdin) {
    const buffer = Buffer.from(chunk);
    bytes += buffer.length;
    if (bytes > MAX_BYTES) {
      throw new AppError('TOO_LARGE', `Standard input may have at most ${MAX_BYTES} bytes.`, { field: nameOf(field) });
    }
    chunks.push(buffer);
  }
  return Buffer.concat(chunks);
}

function decode(command: Command, field: Field, bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new UsageError('Standard input is not UTF-8 text.', { command, field });
  }
}

/** A list has an item on each line. Any other value is the whole text without the newline that `echo` adds. */
function parseText({ type }: Field, text: string): unknown {
  if (type.kind !== 'list') return readValue(type, text.replace(/\r?\n$/, ''));
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== '');
  return lines.map((line, index) => {
    try {
      return readValue(type.of, line);
    } catch (thrown) {
      if (!(thrown instanceof WrongValue)) throw thrown;
      throw new WrongValue(`${thrown.message} (line ${index + 1} of those that are not empty, ${quoted(line)})`);
    }
  });
}
