import { AppError } from '../domain/errors.ts';
import { visibleJson } from '../lib/visible.ts';
import type { Operation } from '../operation.ts';
import { type Command, type Field, type Input, nameOf, UsageError } from './command.ts';
import type { CliComposition } from './composition.ts';
import { createDialog } from './dialog.ts';
import { type Format, inFormat } from './formats.ts';
import { present } from './output.ts';
import { createProgress } from './progress.ts';
import { itemsOnStdin, wrongLine } from './stdin-lines.ts';
import type { Terminal } from './terminal.ts';

interface OperationCall {
  command: Command;
  operation: Operation;
  input: Input;
  composition: CliComposition;
  terminal: Terminal;
  /** The requested output format of a list, if any. */
  format?: Format;
}

/** Calls an operation and shows its result. */
export async function runOperation(asked: OperationCall): Promise<number> {
  const { operation } = asked;
  if (isFollowed(asked)) return follow(asked);
  const first = await (readsLines(asked) ? callForLines(asked) : call(asked));
  const output = operation.cli?.question ? await answered(asked, first) : first;
  await show(asked, output);
  return operation.cli?.failed?.(output) ? 1 : 0;
}

/** Prompts for what the operation needs, until it needs nothing more. */
async function answered(asked: OperationCall, first: Record<string, unknown>): Promise<Record<string, unknown>> {
  const { operation, terminal } = asked;
  const questionIn = (output: Record<string, unknown>) =>
    operation.cli?.question?.(operation.input.parse(asked.input), output);
  let output = first;
  let question = questionIn(output);
  if (!question || (question.terminalOnly && (terminal.json || !terminal.stdin().isTTY))) return output;
  const dialog = createDialog(terminal);
  try {
    for (; question; question = questionIn(output)) {
      if (terminal.json) await show(asked, output);
      output = await call({ ...asked, input: question.next(await dialog.ask(question)) });
    }
    return output;
  } finally {
    dialog.close();
  }
}

function readsLines({ operation: { cli }, input }: OperationCall): boolean {
  return cli?.total !== undefined && cli.stdin !== undefined && input[cli.stdin] === undefined;
}

/** Lines before an invalid line have been passed on when the error is reported. */
async function callForLines(asked: OperationCall): Promise<Record<string, unknown>> {
  const { command, operation, input, terminal } = asked;
  const field = command.signature().stdin;
  if (!field) throw new Error('an operation that reads lines names the field');
  const passOn = (items: readonly unknown[]) => call({ ...asked, input: { ...input, [nameOf(field)]: items } });
  let total: Record<string, unknown> | undefined;
  for await (const { items, lines } of itemsOnStdin(command, field, terminal.stdin())) {
    const output = await passOn(items).catch(async (thrown: unknown) => {
      const index = indexOfWrong(thrown, field);
      if (index === undefined || lines[index] === undefined) throw thrown;
      if (index > 0) await passOn(items.slice(0, index));
      throw wrongLine(lines[index], wrongWith((thrown as UsageError).message, field, index), command, field);
    });
    total = total === undefined ? output : operation.cli?.total?.(total, output);
  }
  if (total === undefined) throw new UsageError('Nothing came on standard input.', { command, field });
  return total;
}

/** Which of the items the schema refuses first. */
function indexOfWrong(thrown: unknown, field: Field): number | undefined {
  if (!(thrown instanceof UsageError)) return undefined;
  const [, index] = new RegExp(`\\b${nameOf(field)}\\.(\\d+)\\b`).exec(thrown.message) ?? [];
  return index === undefined ? undefined : Number(index);
}

/** The problem of that item alone, with the field names of its line. */
function wrongWith(message: string, field: Field, index: number): string {
  const [first = ''] = message.split(new RegExp(`(?:Unknown fields?: )?\\b${nameOf(field)}\\.(?!${index}\\b)\\d`));
  return first
    .replaceAll(new RegExp(`\\b${nameOf(field)}\\.${index}(?:\\.|: )`, 'g'), '')
    .trim()
    .replace(/\.$/, '');
}

function isFollowed({ operation: { follow, cli, input: schema }, input, terminal }: OperationCall): boolean {
  // A program gets one object.
  if (cli?.isStreamed && terminal.json) return false;
  const parsed = follow && schema.safeParse(input);
  return parsed?.success === true && follow?.isWanted(parsed.data) === true;
}

/** Shows outputs until it is interrupted, which is the regular end, or its output is closed. */
async function follow(asked: OperationCall): Promise<number> {
  const { operation, input, composition, terminal } = asked;
  if (operation.cli?.isStreamed) return followText(asked);
  const over = new AbortController();
  const end = () => over.abort();
  let isFirst = true;
  const showNext = async (output: Record<string, unknown>) => {
    // A table has the widths of what was in it at first.
    await show(isFirst ? asked : { ...asked, format: asked.format ?? 'compact' }, output, !isFirst);
    isFirst = false;
    if (terminal.out.isGone?.()) end();
  };
  process.once('SIGINT', end).once('SIGTERM', end);
  try {
    await composition.follow(operation, input, showNext, over.signal);
  } catch (thrown) {
    if (!over.signal.aborted) throw refusedInput(asked, thrown) ?? thrown;
  } finally {
    process.off('SIGINT', end).off('SIGTERM', end);
  }
  return 0;
}

/** Shows the parts of a text as they come. */
async function followText({
  command,
  operation,
  input,
  composition,
  terminal: { out },
}: OperationCall): Promise<number> {
  const over = new AbortController();
  const end = () => over.abort();
  let last = '\n';
  process.once('SIGINT', end).once('SIGTERM', end);
  try {
    await composition.follow(
      operation,
      input,
      async ({ text }) => {
        if (typeof text !== 'string' || text === '') return;
        last = text;
        await out.write(text);
        if (out.isGone?.()) end();
      },
      over.signal,
    );
  } catch (thrown) {
    if (over.signal.aborted) throw new AppError('SERVICE_UNAVAILABLE', 'Interrupted.', { cause: thrown });
    throw refusedInput({ command, operation, input } as OperationCall, thrown) ?? thrown;
  } finally {
    process.off('SIGINT', end).off('SIGTERM', end);
    if (!last.endsWith('\n')) await out.write('\n');
  }
  return 0;
}

async function show(asked: OperationCall, output: Record<string, unknown>, goesOn = false): Promise<void> {
  const { operation, input, terminal } = asked;
  const list = operation.cli?.list;
  const format = asked.format ?? list?.format ?? 'table';
  if (terminal.json) await terminal.out.write(`${visibleJson(output)}\n`);
  else if (list) await terminal.out.write(inFormat(format, { operation, list, input, output, goesOn }, terminal.out));
  else await terminal.out.write(`${present(operation, output, terminal.out)}\n`);
}

async function call(asked: OperationCall): Promise<Record<string, unknown>> {
  const { operation, input, composition, terminal } = asked;
  const interrupted = new AbortController();
  const interrupt = () => interrupted.abort();
  const progress = createProgress(terminal);
  // Only the first signal ends it gracefully: a second one has no listener and ends the process.
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

/** Input that the schema refuses is reported as wrong usage. */
function refusedInput({ command, operation, input }: OperationCall, thrown: unknown): UsageError | undefined {
  if (!(thrown instanceof AppError) || thrown.code !== command.invalidInput) return undefined;
  if (operation.input.safeParse(input).success) return undefined;
  const field = command.signature().fields.find((each) => nameOf(each) === thrown.field);
  return new UsageError(thrown.message, { command, field });
}
