import { type AppError, type ErrorCode, toAppError, type UpstreamWords } from '../domain/errors.ts';
import { visibleJson, visibleLines } from '../lib/visible.ts';
import { type Command, UsageError } from './command.ts';
import type { Terminal } from './terminal.ts';

/** Lines of another server in an error; `servers logs` has all of them. */
const MOST_QUOTED = 10;

const EXIT_CODE = {
  SOURCE_NOT_FOUND: 1,
  CHAT_NOT_FOUND: 1,
  CHAT_AMBIGUOUS: 1,
  SOURCE_NOT_CONNECTED: 1,
  STREAMING_NOT_SUPPORTED: 1,
  ACCOUNT_NOT_FOUND: 1,
  ACCOUNT_AMBIGUOUS: 1,
  MESSAGE_NOT_FOUND: 1,
  DRAFT_NOT_FOUND: 1,
  RECIPIENT_NOT_FOUND: 1,
  NO_AGENT_IDENTITY: 1,
  INVALID_PARAMETER: 2,
  VALIDATION_ERROR: 2,
  TOO_LARGE: 1,
  NOT_FOUND: 1,
  CONFLICT: 1,
  UNAUTHENTICATED: 1,
  FORBIDDEN: 1,
  RATE_LIMITED: 1,
  BUSY: 1,
  TIMEOUT: 1,
  NETWORK_ERROR: 1,
  SERVICE_UNAVAILABLE: 1,
  INTERNAL: 1,
} satisfies Record<ErrorCode, number>;

/** Prints an error to stderr and returns the exit code. `called` is the command that was already running. */
export async function fail(thrown: unknown, { err, json }: Terminal, called?: Command): Promise<number> {
  const error = toAppError(thrown);
  if (error.code === 'INTERNAL') await debug(error.cause ?? error);
  const words = json ? visibleJson({ error }) : visibleLines(forPeople(error).join('\n'));
  // If stderr is closed, the exit code still reports the failure.
  await err.write(`${words}\n`).catch(() => {});
  return exitCodeOf(error, called);
}

function forPeople({ message, hint, upstream }: AppError): string[] {
  return [message, ...(hint ? [hint] : []), ...(upstream ? quotedWords(upstream) : [])];
}

/** The words of another server are marked line by line: none can pass for one of ours. */
function quotedWords({ message, stderr_tail: tail }: UpstreamWords): string[] {
  const lines = [message, tail].flatMap((text) => text?.trimEnd().split('\n') ?? []);
  return lines.slice(-MOST_QUOTED).map((line) => `> ${line}`.trimEnd());
}

/** With `NODE_DEBUG=switchboard`. The module is loaded late, because it opens standard error when it is. */
async function debug(cause: unknown): Promise<void> {
  const { debuglog } = await import('node:util');
  debuglog('switchboard')('%o', cause);
}

/** An invalid value counts as wrong usage only if it is an argument: one in the configuration is a failure. */
function exitCodeOf(error: AppError, called: Command | undefined): number {
  if (error instanceof UsageError) return 2;
  const [place] = error.field?.split('.') ?? [];
  const isOfCommand = called?.signature().fields.some((field) => field.place[0] === place);
  return isOfCommand ? EXIT_CODE[error.code] : 1;
}
