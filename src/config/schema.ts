import { z } from 'zod';
import type { ConfigSection, Grant } from '../capability.ts';
import { isScope } from '../domain/principal.ts';
import { LOG_LEVELS } from '../lib/log.ts';
import { amount, formatted, httpUrl, milliseconds, secret } from '../settings.ts';

type TokenFields = Grant['config'];

const SHA256 = /^[0-9a-f]{64}$/i;
const scope = () => formatted('a scope like chat:read', isScope);

/** What browsers send in these headers: anything else in the configuration would never match. */
const host = () => formatted('a host name such as switchboard.example.org', (text) => /^[^\s/\\?#@]+$/.test(text));
const origin = () => formatted('an origin without a path, such as http://localhost:5173', isOrigin);

function isOrigin(text: string): boolean {
  if (!/^https?:/i.test(text)) return /^[a-z][a-z0-9+.-]*:\/\/[^\s/?#]+$/i.test(text);
  return URL.parse(text)?.origin === text.toLowerCase();
}

const Server = z.strictObject({
  name: z.string().default('switchboard').describe('Server name reported to clients.'),
});

const Token = z.strictObject({
  name: z.string().describe('Name of the token in the log and the audit log.'),
  token_hash: secret('the SHA-256 of the token, 64 hexadecimal digits', (text) => SHA256.test(text)).describe(
    'SHA-256 of the token.',
  ),
  scopes: z
    .array(scope())
    .describe('Scopes: `<capability>:read`, `write`, `send` or `manage`; `human` to speak as the user.'),
});

const authWith = (fields: TokenFields) =>
  z.strictObject({
    token: secret()
      .optional()
      .describe(
        'The owner’s token on HTTP, with all rights. Without any token only processes of the same user are served.',
      ),
    tokens: z
      .array(Token.extend(fields) as typeof Token)
      .default([])
      .describe('Further tokens, each with a name and scopes.'),
  });

const Limits = z.strictObject({
  connect_timeout_ms: milliseconds(30_000).describe(
    'Timeout for a client to send its first message or a request, or to continue reading an answer, in ms.',
  ),
  request_timeout_ms: milliseconds(60_000).describe('Timeout of a request, in ms.'),
  max_concurrent: amount(100).describe('Maximum concurrent requests per connection.'),
  max_concurrent_total: amount(1000).describe('Maximum concurrent requests in total.'),
  max_concurrent_per_token: amount(200).describe(
    'Maximum concurrent requests of each token; the owner is limited by the total only.',
  ),
  max_streams: amount(1000).describe(
    'Maximum number of open HTTP streams; the oldest one of the token with the most is closed for a new one.',
  ),
  max_streams_per_token: amount(100).describe('Maximum number of open HTTP streams of each token but the owner’s.'),
  max_connections: amount(2000).describe(
    'Maximum number of HTTP connections; one that sent no valid request is closed for a new one.',
  ),
  max_line_bytes: amount(4_194_304, 1024, 268_435_456).describe('Maximum size of a message, in bytes.'),
});

const Store = z.strictObject({
  url: formatted('sqlite (PostgreSQL is not supported yet)', (text) => text === 'sqlite')
    .default('sqlite')
    .describe('Database: `sqlite` is a file in the home.'),
});

const Daemon = z.strictObject({
  autostart: z.boolean().default(true).describe('Whether a daemon is started automatically when none runs.'),
  idle_exit_ms: milliseconds(300_000, 0).describe(
    'Time without clients after which an automatically started daemon exits, in ms.',
  ),
});

const Telemetry = z.strictObject({
  otlp_endpoint: httpUrl().optional().describe('OTLP endpoint (HTTP) for traces and metrics; default: none.'),
  metrics: z.boolean().default(true).describe('Whether `/metrics` is served.'),
});

const Logging = z.strictObject({
  level: z.enum(LOG_LEVELS).default('info').describe('Minimum log level.'),
  format: z.enum(['json', 'pretty']).default('json').describe('Log format: JSON lines, or readable text.'),
});

const Mcp = z.strictObject({
  session_idle_ms: milliseconds(1_800_000).describe('Time without requests after which an HTTP session ends, in ms.'),
  max_sessions: amount(1000).describe(
    'Maximum number of sessions; the longest idle one of the token with the most sessions is closed for a new one.',
  ),
  max_sessions_per_token: amount(250).describe(
    'Maximum number of sessions of each token but the owner’s; its longest idle one is closed for a new one.',
  ),
  page_size: amount(200, 1, 1000).describe('Entries per page of a list.'),
  list_ttl_ms: milliseconds(60_000, 0).describe('How long clients may cache lists, in ms.'),
  resource_ttl_ms: milliseconds(0, 0).describe('How long clients may cache resources, in ms.'),
  local_scopes: z
    .array(scope())
    .default([])
    .describe('Additional scopes of the local user, for example `servers:manage`.'),
  allowed_hosts: z.array(host()).default([]).describe('Accepted Host names, in addition to the loopback ones.'),
  allowed_origins: z
    .array(origin())
    .default([])
    .describe('Origins of web pages that may send requests, such as `http://localhost:5173`; default: only its own.'),
});

/** The settings of the program itself. A key's description is its entry in docs/configuration.md. */
const programWith = (fields: TokenFields) =>
  z.strictObject({
    server: Server.prefault({}).describe('The Switchboard server.'),
    auth: authWith(fields).prefault({}).describe('Tokens for HTTP. On stdio no token is needed.'),
    limits: Limits.prefault({}).describe('Limits for clients.'),
    store: Store.prefault({}).describe('The store.'),
    daemon: Daemon.prefault({}).describe('The background process.'),
    telemetry: Telemetry.prefault({}).describe('Traces and metrics.'),
    logging: Logging.prefault({}).describe('The log on standard error.'),
    mcp: Mcp.prefault({}).describe('The MCP endpoint.'),
  });

/** Sections of capabilities have the types that they declare. */
export type Config = z.output<ReturnType<typeof programWith>> & Readonly<Record<string, unknown>>;

const AT_START: Readonly<Record<string, ConfigSection['atStart']>> = {
  limits: ['connect_timeout_ms'],
  store: '*',
  daemon: '*',
  mcp: ['allowed_hosts', 'allowed_origins'],
};

/** `fields` are the keys of a token that capabilities declare. */
export function programSections(fields: TokenFields): Readonly<Record<string, ConfigSection>> {
  const sections = Object.entries(programWith(fields).shape).map(([name, schema]) => {
    const atStart = AT_START[name];
    return [name, { schema, ...(atStart === undefined ? {} : { atStart }) }];
  });
  return Object.fromEntries(sections);
}
