import { AppError } from '../domain/errors.ts';
import { type Command, type Field, nameOf, UsageError } from './command.ts';
import type { Stdin } from './terminal.ts';
import { readValue, WrongValue } from './values.ts';

const MAX_LINE_BYTES = 1024 * 1024;
/** Passed on together if several have arrived. */
const MOST_AT_ONCE = 200;
const NEWLINE = 0x0a;

/** A batch of items, and the numbers of their lines. */
export interface Items {
  items: unknown[];
  lines: number[];
}

/** The items of a list field, one on each line that is not empty, as they arrive. */
export async function* itemsOnStdin(command: Command, field: Field, stdin: Stdin): AsyncIterable<Items> {
  if (stdin.isTTY) {
    const message = `${nameOf(field)} are read from standard input, one on each line: pipe them in, or redirect a file with <.`;
    throw new UsageError(message, { command, field });
  }
  let number = 0;
  for await (const lines of linesOf(stdin, field)) {
    let batch: Items = { items: [], lines: [] };
    try {
      for (const line of lines) {
        number += 1;
        const text = decoded(line, number, command, field);
        if (text.trim() === '') continue;
        batch.items.push(itemOf(text, number, command, field));
        batch.lines.push(number);
        if (batch.items.length < MOST_AT_ONCE) continue;
        yield batch;
        batch = { items: [], lines: [] };
      }
    } catch (thrown) {
      // Lines before an invalid line are accepted, however the pipe was split into chunks.
      if (batch.items.length > 0) yield batch;
      throw thrown;
    }
    if (batch.items.length > 0) yield batch;
  }
}

/** The lines that each piece of the input completes. */
async function* linesOf(stdin: Stdin, field: Field): AsyncIterable<Buffer[]> {
  let rest = Buffer.alloc(0);
  for await (const chunk of stdin) {
    const lines: Buffer[] = [];
    let bytes = Buffer.concat([rest, Buffer.from(chunk)]);
    for (let end = bytes.indexOf(NEWLINE); end >= 0; end = bytes.indexOf(NEWLINE)) {
      lines.push(bytes.subarray(0, end));
      bytes = bytes.subarray(end + 1);
    }
    if (bytes.length > MAX_LINE_BYTES) {
      throw new AppError('TOO_LARGE', `A line may have at most ${MAX_LINE_BYTES} bytes.`, { field: nameOf(field) });
    }
    rest = Buffer.from(bytes);
    yield lines;
  }
  if (rest.length > 0) yield [rest];
}

function decoded(line: Buffer, number: number, command: Command, field: Field): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(line);
  } catch {
    throw wrongLine(number, 'it is not UTF-8 text', command, field);
  }
}

function itemOf(text: string, number: number, command: Command, field: Field): unknown {
  const type = field.type.kind === 'list' ? field.type.of : field.type;
  try {
    return readValue(type, text);
  } catch (thrown) {
    if (!(thrown instanceof WrongValue)) throw thrown;
    throw wrongLine(number, `it ${thrown.message}`, command, field);
  }
}

export function wrongLine(number: number, why: string, command: Command, field: Field): UsageError {
  const message = `Line ${number} of standard input: ${why}. Nothing was taken from this line on.`;
  return new UsageError(message, { command, field });
}
