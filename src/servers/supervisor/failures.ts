import { AppError, type UpstreamWords } from '../../domain/errors.ts';
import { ClientRefusal } from '../../domain/gateway.ts';
import type { ServerConfig } from '../../domain/server-config.ts';
import type { ServerProblem } from '../../domain/server-state.ts';
import type { ProcessExit } from '../process/server-process.ts';
import { UpstreamFailure } from '../upstream/upstream.ts';

/** So much of a server's words is passed on with an error. */
export const MAX_TAIL = 2_000;
const MAX_MESSAGE = 1_000;

/** A process of a server has ended by itself. */
export function exitProblem({ name }: ServerConfig, exit: ProcessExit, output: string): ServerProblem {
  return { code: 'SERVICE_UNAVAILABLE', message: `Server '${name}' ended ${howItEnded(exit)}.`, output };
}

function howItEnded({ code, signal, error }: ProcessExit): string {
  if (error) return `because its program could not be started (${error.code ?? 'unknown error'})`;
  return signal === null ? `with exit code ${code}` : `by signal ${signal}`;
}

/** A connection could not be made, or has ended. */
export function connectionProblem({ name, id }: ServerConfig, thrown: unknown, output: string): ServerProblem {
  if (!(thrown instanceof UpstreamFailure)) throw thrown;
  switch (thrown.kind) {
    case 'timeout':
      return {
        code: 'NETWORK_ERROR',
        message: 'Handshake timed out',
        hint: `Server '${name}' was started and did not answer. See \`switchboard servers logs ${id}\`, or raise its handshake_timeout_ms.`,
        output,
      };
    case 'unauthorized':
      return {
        code: 'UNAUTHENTICATED',
        message: `Server '${name}' requires a login.`,
        hint: loginHint(id),
        isFinal: true,
      };
    case 'rpc':
      return {
        code: 'SERVICE_UNAVAILABLE',
        message: `Server '${name}' refused the handshake.`,
        output: thrown.rpc?.message.slice(0, MAX_MESSAGE) ?? output,
      };
    case 'unreachable':
      return { code: 'NETWORK_ERROR', message: `Server '${name}' cannot be reached: ${thrown.message}`, output };
    case 'protocol':
      return { code: 'SERVICE_UNAVAILABLE', message: `Server '${name}' does not speak MCP: ${thrown.message}`, output };
    default:
      return { code: 'NETWORK_ERROR', message: `The connection to server '${name}' was lost.`, output };
  }
}

/** Why a request has no result, for its caller. `ended` is why the connection ended, where it did. */
export function requestFailure(
  config: ServerConfig,
  thrown: unknown,
  { ended, timeoutMs, limit }: { ended: ServerProblem | undefined; timeoutMs: number; limit: number },
): AppError {
  if (!(thrown instanceof UpstreamFailure)) throw thrown;
  const { name, id } = config;
  const cause = { cause: thrown };
  switch (thrown.kind) {
    case 'closed':
      return new AppError(ended?.code ?? 'NETWORK_ERROR', `${closedMessage(name, ended)} The call was not repeated.`, {
        ...cause,
        upstream: ended?.output ? { stderr_tail: ended.output } : undefined,
      });
    case 'timeout':
      return new AppError('NETWORK_ERROR', `Server '${name}' did not answer within ${timeoutMs} ms.`, {
        ...cause,
        hint: 'The call was cancelled. Set `call_timeout_ms` of the server to wait longer.',
      });
    case 'cancelled':
      return unanswered(name, thrown.cause) ?? new AppError('TIMEOUT', 'The call was cancelled.', cause);
    case 'too-large':
      return new AppError('TOO_LARGE', `The answer of server '${name}' has more than ${limit} bytes.`, {
        ...cause,
        hint: 'Ask for less, or raise `max_result_bytes` of the server.',
      });
    case 'unauthorized':
      return new AppError('UNAUTHENTICATED', `Server '${name}' requires a login.`, { ...cause, hint: loginHint(id) });
    case 'unreachable':
      return new AppError('NETWORK_ERROR', `Server '${name}' cannot be reached: ${thrown.message}`, cause);
    case 'protocol':
      return new AppError('SERVICE_UNAVAILABLE', `The answer of server '${name}' is not one of the protocol.`, {
        ...cause,
        hint: thrown.message,
      });
    case 'rpc':
      return new AppError('SERVICE_UNAVAILABLE', `Server '${name}' answered with an error.`, {
        ...cause,
        upstream: wordsOf(thrown),
      });
  }
}

/** Without sessions a server gets no refusal of its question: the call ends. */
function unanswered(name: string, cause: unknown): AppError | undefined {
  if (cause instanceof AppError) return cause;
  if (!(cause instanceof ClientRefusal)) return undefined;
  return new AppError('CONFLICT', `The client refused to answer server '${name}'.`, { cause });
}

/** Why a resource cannot be followed. */
export function subscribeFailure(config: ServerConfig, thrown: unknown): unknown {
  if (!(thrown instanceof UpstreamFailure)) return thrown;
  return new AppError(
    thrown.kind === 'protocol' || thrown.kind === 'rpc' ? 'STREAMING_NOT_SUPPORTED' : 'SERVICE_UNAVAILABLE',
    `Server '${config.name}' does not report changes of this resource.`,
    { field: 'uri', cause: thrown, upstream: wordsOf(thrown) },
  );
}

function closedMessage(name: string, ended: ServerProblem | undefined): string {
  return ended?.message ?? `The connection to server '${name}' was lost.`;
}

function wordsOf({ rpc }: UpstreamFailure): UpstreamWords | undefined {
  return rpc && { message: rpc.message.slice(0, MAX_MESSAGE) };
}

function loginHint(id: string): string {
  return `Sign in: switchboard servers login ${id}`;
}
