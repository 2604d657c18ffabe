import { z } from 'zod';
import type { ConfigSection } from '../capability.ts';
import { isGrant } from '../domain/grants.ts';
import { LOG_LEVELS } from '../lib/log.ts';
import { amount, formatted, httpUrl, milliseconds, OwnPolicy, secret } from '../settings.ts';

const SCOPE = /^[a-z]+:(?:read|write|send|manage)$/;
const SHA256 = /^[0-9a-f]{64}$/i;
const scope = () => formatted('a scope like chat:read', (text) => SCOPE.test(text));
const chat = () => formatted('SOURCE:CHAT, such as ops:#dev, or SOURCE:*', isGrant);

const Server = z.strictObject({
  name: z.string().default('switchboard').describe('The name that clients are told.'),
});

const Token = z.strictObject({
  name: z.string().describe('The name that the log and the audit call it by.'),
  token_hash: secret('the SHA-256 of the token, 64 hexadecimal digits', (text) => SHA256.test(text)).describe(
    'The SHA-256 of the token; the token itself is not kept.',
  ),
  scopes: z.array(scope()).describe('What it may do: `<capability>:read`, `write`, `send` or `manage`.'),
  agent: z.string().optional().describe('Its identity in agent mail.'),
  chats: z
    .array(chat())
    .optional()
    .describe('The only chats it may read and send to: `SOURCE:CHAT` (id or whole name) or `SOURCE:*`.'),
  send_chats: z.array(chat()).optional().describe('The only chats it may send to, where those are others.'),
  policy: OwnPolicy,
});

const Auth = z.strictObject({
  token: secret()
    .optional()
    .describe('The owner’s token on HTTP: it may do everything. Without any token, only this machine may call.'),
  tokens: z.array(Token).default([]).describe('More tokens, each with a name and scopes.'),
});

const Limits = z.strictObject({
  connect_timeout_ms: milliseconds(30_000).describe('How long a client may take to say hello.'),
  request_timeout_ms: milliseconds(60_000).describe('How long one request may take.'),
  max_concurrent: amount(100).describe('Requests at once on one connection.'),
  max_concurrent_total: amount(1000).describe('Requests at once in the whole process.'),
  max_line_bytes: amount(4_194_304, 1024, 268_435_456).describe('The longest message that is taken, in bytes.'),
});

const Store = z.strictObject({
  url: formatted('sqlite (PostgreSQL is not supported yet)', (text) => text === 'sqlite')
    .default('sqlite')
    .describe('Where everything is kept: `sqlite` is a file in the home.'),
});

const Daemon = z.strictObject({
  autostart: z.boolean().default(true).describe('Whether `switchboard mcp` starts a daemon when none runs.'),
  idle_exit_ms: milliseconds(300_000, 0).describe('How long a daemon that was started so stays without clients.'),
});

const Telemetry = z.strictObject({
  otlp_endpoint: httpUrl()
    .optional()
    .describe('Where traces and metrics are sent (OTLP over HTTP); nowhere when empty.'),
  metrics: z.boolean().default(true).describe('Whether `/metrics` answers.'),
});

const Logging = z.strictObject({
  level: z.enum(LOG_LEVELS).default('info').describe('The least important lines that are written.'),
  format: z.enum(['json', 'pretty']).default('json').describe('One JSON object a line, or lines for people.'),
});

const Mcp = z.strictObject({
  session_idle_ms: milliseconds(1_800_000).describe('When the session of a silent HTTP client ends.'),
  max_sessions: amount(1000).describe('Sessions at once; the one silent for longest makes room.'),
  page_size: amount(200, 1, 1000).describe('Entries in one page of a list.'),
  list_ttl_ms: milliseconds(60_000, 0).describe('How long a client may keep a list without asking again.'),
  resource_ttl_ms: milliseconds(0, 0).describe('The same for what it read from a resource.'),
  local_scopes: z
    .array(scope())
    .default([])
    .describe('What the user of this machine may do beyond the usual, for example `servers:manage`.'),
  allowed_hosts: z
    .array(z.string())
    .default([])
    .describe('Names this server is reached by, besides the loopback ones.'),
  allowed_origins: z.array(z.string()).default([]).describe('Web pages that may call it, besides its own.'),
});

/** What the program itself reads. A key's description is its entry in docs/configuration.md. */
const Program = z.strictObject({
  server: Server.prefault({}).describe('The server itself.'),
  auth: Auth.prefault({}).describe('Who may call over HTTP. On stdio nobody is asked.'),
  limits: Limits.prefault({}).describe('What one client can ask for.'),
  store: Store.prefault({}).describe('The store.'),
  daemon: Daemon.prefault({}).describe('The process in the background.'),
  telemetry: Telemetry.prefault({}).describe('Traces and metrics.'),
  logging: Logging.prefault({}).describe('The log, on standard error.'),
  mcp: Mcp.prefault({}).describe('The MCP endpoint.'),
});

/** Sections of capabilities have the types that they declare. */
export type Config = z.output<typeof Program> & Readonly<Record<string, unknown>>;

const AT_START: Readonly<Record<string, ConfigSection['atStart']>> = {
  limits: ['connect_timeout_ms'],
  store: '*',
  daemon: '*',
  mcp: ['allowed_hosts', 'allowed_origins'],
};

export const PROGRAM_SECTIONS: Readonly<Record<string, ConfigSection>> = Object.fromEntries(
  Object.entries(Program.shape).map(([name, schema]) => {
    const atStart = AT_START[name];
    return [name, { schema, ...(atStart === undefined ? {} : { atStart }) }];
  }),
);
