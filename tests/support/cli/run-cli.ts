import { Readable, Writable } from 'node:stream';
import type { CatalogEntry, CliComposition, ComposeOptions } from '../../../src/cli/composition.ts';
import { run } from '../../../src/cli/run.ts';
import type { Output } from '../../../src/cli/terminal.ts';
import type { Operation } from '../../../src/operation.ts';

export const toFile: Output = {
  isTty: false,
  width: undefined,
  colour: false,
  write: async () => {},
  writeRaw: async () => {},
};

export function toTerminal(width: number, written: string[] = []): Output {
  const write = async (text: string) => void written.push(text);
  return { isTty: true, width, colour: true, write, writeRaw: write };
}

export function catalogOf(...operations: readonly Operation[]): CatalogEntry[] {
  return operations.map((operation) => ({
    capability: { name: 'system', invalidInput: 'VALIDATION_ERROR' },
    operation,
  }));
}

interface Setting extends Partial<CliComposition> {
  operations?: readonly Operation[];
  stdin?: string | Readable;
  compose?: (options: ComposeOptions) => Promise<void>;
}

/** Runs a command line in this process, with operations given by the test. */
export async function runCli(argv: readonly string[], setting: Setting = {}) {
  const { operations = [], stdin = '', compose, ...parts } = setting;
  const stdout = collector();
  const stderr = collector();
  const calls: string[] = [];
  const composition: CliComposition = {
    call: async (operation, input, progress, signal) => {
      const checked = operation.input.parse(input);
      return operation.run(checked, { principal: undefined, log: undefined, progress, signal });
    },
    follow: async (operation, input, emit, signal) => {
      const stream = operation.follow?.stream(operation.input.parse(input), { signal });
      for await (const output of stream ?? []) await emit(output);
    },
    serveStdio: () => Promise.reject(new Error('not expected')),
    serveHttp: () => Promise.reject(new Error('not expected')),
    runDaemon: async () => 0,
    close: async () => void calls.push('close'),
    ...parts,
  };
  const code = await run(argv, {
    stdin: typeof stdin === 'string' ? Readable.from([Buffer.from(stdin)]) : stdin,
    stdout: stdout.stream,
    stderr: stderr.stream,
    env: {},
    load: async () => {
      calls.push('load');
      return {
        operationsCatalog: () => catalogOf(...operations),
        composeCli: async (options) => {
          calls.push('compose');
          await compose?.(options);
          return composition;
        },
      };
    },
  });
  return { code, stdout: stdout.text(), stderr: stderr.text(), calls };
}

function collector() {
  const chunks: Buffer[] = [];
  const stream = new Writable({
    write(chunk, _, done) {
      chunks.push(Buffer.from(chunk));
      done();
    },
  });
  return { stream, text: () => Buffer.concat(chunks).toString() };
}
