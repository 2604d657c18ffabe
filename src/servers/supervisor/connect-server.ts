import type { SecretGroups } from '../../capability.ts';
import { toAppError } from '../../domain/errors.ts';
import type { JsonObject } from '../../domain/json.ts';
import type { ServerConfig } from '../../domain/server-config.ts';
import type { ServerProblem } from '../../domain/server-state.ts';
import { childEnvironment } from '../../lib/child-environment.ts';
import type { ServerOAuth } from '../oauth/server-oauth.ts';
import type { Guard } from '../process/guard.ts';
import { launch } from '../process/launch.ts';
import { launchPlan, RUNTIME_VARIABLES } from '../process/launch-plan.ts';
import type { ProcessExit, ServerOutput } from '../process/server-process.ts';
import { startProblem } from '../process/start-problem.ts';
import { connectUpstream } from '../upstream/connect.ts';
import { createRemoteTransport } from '../upstream/remote-transport.ts';
import { createStdioTransport } from '../upstream/stdio-transport.ts';
import { UpstreamFailure, type UpstreamListener } from '../upstream/upstream.ts';
import { connectionProblem, exitProblem, MAX_TAIL } from './failures.ts';
import { type ConnectServer, type ServerConnection, StartFailure } from './server-connection.ts';
import { resolveValues } from './values.ts';

export interface ConnectParts {
  home: string;
  env: NodeJS.ProcessEnv;
  secrets(): Promise<SecretGroups>;
  oauth: ServerOAuth;
  guard: Guard;
  outputOf(config: ServerConfig): ServerOutput;
  clientInfo: JsonObject;
  limits(): { handshakeTimeoutMs: number; stopTimeoutMs: number; maxResultBytes: number };
}

/** How long the end of a process is waited for after the end of its output. */
const EXIT_MS = 1_000;

export function createConnect(parts: ConnectParts): ConnectServer {
  return async (config, listener, signal, capabilities) => {
    const values = await resolveValues(config, await parts.secrets());
    const { handshakeTimeoutMs, maxResultBytes } = parts.limits();
    const shaking = {
      listener,
      protocol: config.protocol,
      clientInfo: parts.clientInfo,
      ...(capabilities === undefined ? {} : { capabilities }),
      handshakeTimeoutMs: config.handshake_timeout_ms ?? handshakeTimeoutMs,
      signal,
    };
    const maxMessageBytes = config.max_result_bytes ?? maxResultBytes;
    return config.transport.type === 'stdio'
      ? local(parts, config, values.env, shaking, maxMessageBytes)
      : remote(
          parts,
          config,
          { type: config.transport.type, url: values.url },
          values.headers,
          shaking,
          maxMessageBytes,
        );
  };
}

interface Shaking {
  listener: UpstreamListener;
  protocol: ServerConfig['protocol'];
  clientInfo: JsonObject;
  capabilities?: JsonObject;
  handshakeTimeoutMs: number;
  signal: AbortSignal;
}

async function local(
  { home, env, guard, outputOf, limits }: ConnectParts,
  config: ServerConfig,
  variables: Readonly<Record<string, string>>,
  shaking: Shaking,
  maxMessageBytes: number,
): Promise<ServerConnection> {
  const output = outputOf(config);
  const base = childEnvironment(env, { also: RUNTIME_VARIABLES });
  const plan = launchPlan(config, { env: variables }, { home, base });
  // What an earlier process printed explains nothing about this one.
  const before = output.lines({ last: 1 }).at(-1)?.number;
  const lastWords = () => output.tail(MAX_TAIL, before);
  const server = launch(plan, { output, guard, stopTimeoutMs: limits().stopTimeoutMs });
  const transport = createStdioTransport({ ...server, maxMessageBytes });
  // Children of a process that has ended may hold its output open.
  void server.exited.then(() => transport.close());
  try {
    const upstream = await connectUpstream({ ...shaking, transport });
    const ended = upstream.closed.then(async (failure): Promise<ServerProblem> => {
      const exit = await within(EXIT_MS, server.exited);
      return exit ? exitProblem(config, exit, lastWords()) : connectionProblem(config, failure ?? lost(), lastWords());
    });
    return {
      upstream,
      pid: server.pid,
      ended,
      async close() {
        // Its process is stopped in any case, and its input ends with that.
        await Promise.all([upstream.close(), server.stop()]);
      },
    };
  } catch (thrown) {
    const exit = isClosed(thrown) ? await within(EXIT_MS, server.exited) : undefined;
    await server.stop();
    throw new StartFailure(startFailure(config, exit, thrown, lastWords()), thrown);
  }
}

function startFailure(
  config: ServerConfig,
  exit: ProcessExit | undefined,
  thrown: unknown,
  output: string,
): ServerProblem {
  const known = startProblem(config, exit, output);
  if (known) return { ...known, output, ...(known.code === 'NOT_FOUND' ? { isFinal: true } : {}) };
  return exit ? exitProblem(config, exit, output) : connectionProblem(config, thrown, output);
}

async function remote(
  { oauth, outputOf }: ConnectParts,
  config: ServerConfig,
  { type, url }: { type: 'http' | 'sse'; url: string },
  headers: Readonly<Record<string, string>>,
  shaking: Shaking,
  maxMessageBytes: number,
): Promise<ServerConnection> {
  const output = outputOf(config);
  const server = { id: config.id, url: 'url' in config.transport ? config.transport.url : url, auth: config.auth };
  const transport = createRemoteTransport({
    type,
    url,
    maxMessageBytes,
    async headers() {
      const authorization = await oauth.authorization(server).catch(withoutCredentials);
      return authorization === undefined ? headers : { ...headers, Authorization: authorization };
    },
    onUnauthorized: async (challenge) =>
      (await oauth.onUnauthorized(server, challenge).catch(withoutCredentials)) === 'retry',
  });
  try {
    const upstream = await connectUpstream({ ...shaking, transport });
    const ended = upstream.closed.then((failure) => connectionProblem(config, failure ?? lost(), ''));
    return { upstream, pid: undefined, ended, close: () => upstream.close() };
  } catch (thrown) {
    const problem = connectionProblem(config, thrown, '');
    output.note(problem.message);
    throw new StartFailure(problem, thrown);
  }
}

/** The server was not asked at all: that is not a connection that broke. */
function withoutCredentials(thrown: unknown): never {
  const { code, message } = toAppError(thrown);
  throw new UpstreamFailure(code === 'UNAUTHENTICATED' ? 'unauthorized' : 'unreachable', message, { cause: thrown });
}

function isClosed(thrown: unknown): boolean {
  return thrown instanceof UpstreamFailure && thrown.kind === 'closed';
}

function lost(): UpstreamFailure {
  return new UpstreamFailure('closed', 'The connection was lost.');
}

async function within<T>(milliseconds: number, event: Promise<T>): Promise<T | undefined> {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const timer = setTimeout(resolve, milliseconds, undefined);
  try {
    return await Promise.race([event, promise]);
  } finally {
    clearTimeout(timer);
  }
}
