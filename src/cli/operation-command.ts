import { AppError } from '../domain/errors.ts';
import type { Operation } from '../operation.ts';
import type { Input } from './command.ts';
import type { CliComposition } from './composition.ts';
import { present } from './output.ts';
import { createProgress } from './progress.ts';
import type { Terminal } from './terminal.ts';
import { visibleJson } from './text.ts';

/** Calls an operation and shows what it gave. */
export async function runOperation(
  operation: Operation,
  input: Input,
  composition: CliComposition,
  terminal: Terminal,
): Promise<number> {
  const output = await call(operation, input, composition, terminal);
  await terminal.out.write(`${terminal.json ? visibleJson(output) : present(operation, output, terminal.out)}\n`);
  return 0;
}

async function call(operation: Operation, input: Input, composition: CliComposition, terminal: Terminal) {
  const interrupted = new AbortController();
  const interrupt = () => interrupted.abort();
  const progress = createProgress(terminal);
  // Only the first signal asks politely: a second one finds no listener and ends the process.
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt);
  try {
    return await composition.call(operation, input, progress.report, interrupted.signal);
  } catch (thrown) {
    if (interrupted.signal.aborted) throw new AppError('SERVICE_UNAVAILABLE', 'Interrupted.', { cause: thrown });
    throw thrown;
  } finally {
    process.off('SIGINT', interrupt).off('SIGTERM', interrupt);
    progress.end();
  }
}
