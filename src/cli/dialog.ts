import { createInterface, type Interface } from 'node:readline';
import { Writable } from 'node:stream';
import { AppError } from '../domain/errors.ts';
import type { CliQuestion } from '../operation.ts';
import type { Output, Terminal } from './terminal.ts';

/** Prompts the user at the terminal, or reads answers as lines of standard input if that is no terminal. */
export function createDialog({ stdin: open, err, json }: Pick<Terminal, 'stdin' | 'err' | 'json'>) {
  const stdin = open();
  const isTty = stdin.isTTY === true;
  let lines: { reader: Interface; next: AsyncIterator<string> } | undefined;
  let shown: string | undefined;

  async function nextLine(question: string): Promise<string> {
    const reader = lines?.reader ?? createInterface({ input: stdin });
    lines ??= { reader, next: reader[Symbol.asyncIterator]() };
    const { value, done } = await lines.next.next();
    if (done) {
      throw new AppError('INVALID_PARAMETER', 'Standard input ended before everything was answered.', {
        hint: `The question was: ${question}`,
      });
    }
    return value;
  }

  async function prompt(text: string, secret: boolean): Promise<string> {
    await err.write(`${text} `);
    const reader = createInterface({ input: stdin, output: secret ? discarding() : into(err), terminal: true });
    try {
      return await new Promise((resolve, reject) => {
        reader.once('line', resolve);
        reader.once('SIGINT', () => reject(new AppError('SERVICE_UNAVAILABLE', 'Interrupted.')));
        reader.once('close', () => reject(new AppError('INVALID_PARAMETER', 'Nothing was answered.')));
      });
    } finally {
      reader.close();
      if (secret) await err.write('\n');
    }
  }

  /** A renewed code is drawn below the former one: how many rows of the screen that took is not known. */
  async function show(text: string, qrCode: string | undefined): Promise<void> {
    if (text === shown) return;
    shown = text;
    await err.write(`${text}\n`);
    if (qrCode === undefined || json || err.width === undefined) return;
    const { qrCodeLines } = await import('./qr-code.ts');
    const lines = qrCodeLines(qrCode, { width: err.width, colour: err.colour });
    if (lines) await err.writeRaw(`\n${lines.join('\n')}\n\n`);
    else await err.write('It does not fit into this terminal as a QR code: make the window wider, and begin again.\n');
  }

  return {
    /** The answer; empty where the question is only shown. */
    async ask({ text, secret, isAnswered, qrCode }: CliQuestion<unknown>): Promise<string> {
      if (isAnswered) return isTty ? prompt(text, secret) : nextLine(text);
      await show(text, qrCode);
      return '';
    },
    close: () => lines?.reader.close(),
  };
}

/** Not awaited, so that the echo is before what is written next. */
function into(output: Output): Writable {
  return new Writable({
    write(chunk, _encoding, done) {
      output.writeRaw(String(chunk)).catch(() => {});
      done();
    },
  });
}

/** Discards the echo of readline, which would show a secret. */
function discarding(): Writable {
  return new Writable({ write: (_chunk, _encoding, done) => done() });
}
