import { AppError } from '../domain/errors.ts';
import type { Operation } from '../operation.ts';
import { type Command, type Input, nameOf, UsageError } from './command.ts';
import type { CliComposition } from './composition.ts';
import { present } from './output.ts';
import { createProgress } from './progress.ts';
import type { Terminal } from './terminal.ts';
import { visibleJson } from './text.ts';

interface OperationCall {
  command: Command;
  operation: Operation;
  input: Input;
  composition: CliComposition;
  terminal: Terminal;
}

/** Calls an operation and shows what it gave. */
export async function runOperation(asked: OperationCall): Promise<number> {
  const { operation, terminal } = asked;
  const output = await call(asked);
  await terminal.out.write(`${terminal.json ? visibleJson(output) : present(operation, output, terminal.out)}\n`);
  return operation.cli?.failed?.(output) ? 1 : 0;
}

async function call(asked: OperationCall): Promise<Record<string, unknown>> {
  const { operation, input, composition, terminal } = asked;
  const interrupted = new AbortController();
  const interrupt = () => interrupted.abort();
  const progress = createProgress(terminal);
  // Only the first signal asks politely: a second one finds no listener and ends the process.
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt);
  try {
    return await composition.call(operation, input, progress.report, interrupted.signal);
  } catch (thrown) {
    if (interrupted.signal.aborted) throw new AppError('SERVICE_UNAVAILABLE', 'Interrupted.', { cause: thrown });
    throw refusedInput(asked, thrown) ?? thrown;
  } finally {
    process.off('SIGINT', interrupt).off('SIGTERM', interrupt);
    progress.end();
  }
}

/** What the schema refuses is wrong usage, and is told as such. */
function refusedInput({ command, operation, input }: OperationCall, thrown: unknown): UsageError | undefined {
  if (!(thrown instanceof AppError) || thrown.code !== command.invalidInput) return undefined;
  if (operation.input.safeParse(input).success) return undefined;
  const field = command.signature().fields.find((each) => nameOf(each) === thrown.field);
  return new UsageError(thrown.message, { command, field });
}
