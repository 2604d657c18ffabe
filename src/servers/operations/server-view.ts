import { z } from 'zod';
import type { GatewayRequest } from '../../domain/gateway.ts';
import type { JsonObject } from '../../domain/json.ts';
import { allowsTool } from '../gateway/tool-filter.ts';
import type { Registries } from '../registries/search.ts';
import type { ServerAdministration } from '../supervisor/administration.ts';
import type { ServerLogins } from '../supervisor/machinery.ts';
import type { ManagedServer } from '../supervisor/managed-server.ts';
import type { Servers } from '../supervisor/servers.ts';

/** A server in an input: its id or its name. */
export const ServerRef = z.string().min(1).max(200).describe('Id or name of the server.');

const ValueView = z.object({
  value: z.string().optional(),
  secret_ref: z.string().optional(),
  is_secret: z.boolean(),
  required: z.boolean().optional(),
  description: z.string().optional(),
});

export const StatusView = z.object({
  state: z.enum(['stopped', 'starting', 'running', 'error', 'disabled']),
  message: z.string().optional(),
  code: z.string().optional(),
  hint: z.string().optional(),
  /** The end of what it printed before it failed: its own words. */
  output: z.string().optional(),
  retry_at: z.string().optional(),
  since: z.string().optional(),
  pid: z.int().optional(),
  tools: z.array(z.string()).optional(),
  to_review: z.int().optional().describe('Number of changes that a person has to accept.'),
});

export const ServerView = z.object({
  id: z.string(),
  name: z.string(),
  enabled: z.boolean(),
  source: z.record(z.string(), z.string()),
  package: z.object({
    type: z.string(),
    identifier: z.string(),
    version: z.string().optional(),
    runtime_hint: z.string().optional(),
    runtime_args: z.array(z.string()).optional(),
  }),
  transport: z.object({ type: z.string(), url: z.string().optional() }),
  args: z.array(z.string()),
  cwd: z.string().optional(),
  env_vars: z.record(z.string(), ValueView),
  headers: z.record(z.string(), ValueView),
  auth: z.object({
    type: z.string(),
    client_id: z.string().optional(),
    scopes: z.array(z.string()).optional(),
    redirect_uri: z.string().optional(),
  }),
  config: z.record(z.string(), z.json()),
  tools: z.object({ allow: z.array(z.string()).optional(), deny: z.array(z.string()).optional() }),
  start: z.string(),
  idle_stop_ms: z.int().optional(),
  trusted: z.boolean(),
  protocol: z.string(),
  connection: z.string(),
  handshake_timeout_ms: z.int().optional(),
  call_timeout_ms: z.int().optional(),
  max_result_bytes: z.int().optional(),
  status: StatusView,
});

/** The same where a caller has changed it: its configuration is not described again. */
export const ChangedServer = z.looseObject({
  id: z.string(),
  name: z.string(),
  enabled: z.boolean(),
  status: StatusView,
});

/** The parts that operations of servers use. */
export interface ServersContext extends ServerAdministration {
  servers: Servers;
  logins: ServerLogins;
  registries: Registries;
  callTool(server: ManagedServer, tool: string, args: JsonObject, request: GatewayRequest): Promise<JsonObject>;
}

export function toView(server: ManagedServer): z.input<typeof ServerView> {
  // The output is checked against the schema, which knows no lists that cannot be changed.
  return { ...server.config(), status: toStatus(server) } as unknown as z.input<typeof ServerView>;
}

export function toStatus(server: ManagedServer): z.input<typeof StatusView> {
  const state = server.state();
  const differences = server.reviewed()?.differences.length ?? 0;
  const review = differences > 0 ? { to_review: differences } : {};
  switch (state.state) {
    case 'running': {
      const pid = server.pid();
      return {
        state: 'running',
        since: new Date(state.since).toISOString(),
        ...(pid === undefined ? {} : { pid }),
        tools: (server.reviewed()?.tools ?? [])
          .map(({ name }) => name)
          .filter((name) => allowsTool(server.config().tools, name)),
        ...review,
      };
    }
    case 'error': {
      const { code, message, hint, output } = state.problem;
      return {
        state: 'error',
        message,
        code,
        ...(hint === undefined ? {} : { hint }),
        ...(output === undefined || output === '' ? {} : { output }),
        ...(state.retryAt === undefined ? {} : { retry_at: new Date(state.retryAt).toISOString() }),
        ...review,
      };
    }
    default:
      return { state: state.state, ...review };
  }
}

/** `github: running, 12 tools`. */
export function asLine({ id, status }: Pick<z.output<typeof ServerView>, 'id' | 'status'>): string {
  return `${id}: ${statusLine(status)}`;
}

export function statusLine({
  state,
  message,
  hint,
  tools,
  retry_at: retryAt,
  to_review: toReview,
}: z.output<typeof StatusView>): string {
  const count = tools === undefined ? '' : `, ${tools.length} tool${tools.length === 1 ? '' : 's'}`;
  const problem =
    message === undefined ? '' : `: ${[message, ...(hint === undefined ? [] : [hint])].map(sentence).join(' ')}`;
  const retry = retryAt === undefined ? '' : ` Next attempt at ${retryAt}.`;
  const review = toReview === undefined ? '' : ` (${toReview} to review)`;
  return `${state}${count}${review}${problem}${retry}`;
}

export function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
