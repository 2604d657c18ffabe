import { z } from 'zod';
import { PACKAGE_TYPES } from '../../domain/server-config.ts';

const MAX_VALUE = 65_536;
export const VARIABLE_NAME = /^[A-Za-z_][A-Za-z0-9_]{0,127}$/;
export const HEADER_NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,128}$/;
const text = () => z.string().max(MAX_VALUE);

const GivenValue = z.union([
  text(),
  z.strictObject({
    name: text().optional().describe('Its name.'),
    value: text().nullish().describe('Its value.'),
    secret_ref: z.string().max(128).nullish().describe('Name of a secret, instead of a value.'),
    is_secret: z.boolean().optional().describe('Keep the value in the secrets store; default false.'),
    required: z.boolean().optional().describe('Do not start without it; default false.'),
    description: text().optional().describe('What it is for.'),
  }),
]);

const Source = z.union([
  z.strictObject({ type: z.literal('manual').describe('Written by hand.') }),
  z.strictObject({
    type: z.literal('official').describe('The official registry.'),
    name: text().describe('Its name there.'),
    version: text().describe('Its version there.'),
  }),
  z.strictObject({
    type: z.literal('smithery').describe('Smithery.'),
    qualified_name: text().describe('Its name there.'),
  }),
  z.strictObject({ type: z.literal('import').describe('Another program.'), program: text().describe('That program.') }),
]);

const Package = z.strictObject({
  type: z
    .enum(PACKAGE_TYPES)
    .describe('What runs: npm (npx), pypi (uvx), docker, binary, or http for a remote server.'),
  identifier: text().optional().describe('Package, image, path of a program, or URL.'),
  version: text().optional().describe('Version of the package; default: the newest.'),
  runtime_hint: text().nullish().describe('Another program to run the package with, such as `bunx` or `podman`.'),
  runtime_args: z.array(text()).optional().describe('Arguments for that program, before the package.'),
});

const Transport = z.union([
  z.enum(['stdio', 'http', 'sse']),
  z.strictObject({
    type: z.enum(['stdio', 'http', 'sse']).describe('How it is reached.'),
    url: text().optional().describe('URL, for http and sse.'),
  }),
]);

const Auth = z.union([
  z.strictObject({ type: z.literal('none').describe('No sign-in.') }),
  z.strictObject({
    type: z.literal('bearer').describe('A fixed token.'),
    token: text().optional().describe('The token.'),
  }),
  z.strictObject({
    type: z.literal('oauth').describe('OAuth in a browser.'),
    client_id: text().optional().describe('Default: registered by itself.'),
    client_secret: text().optional().describe('Secret of that client.'),
    scopes: z.array(text()).optional().describe('Default: those it asks for.'),
  }),
]);

const timeout = () => z.int().min(1).max(86_400_000).optional();

/**
 * A server as callers give it. Fields that its specification has messages of its own for are optional here, and checked where a
 * configuration is made from it.
 */
export const ServerFields = {
  name: text().optional().describe('Name of the server; its id, and so the names of its tools, are made from it.'),
  enabled: z.boolean().optional().describe('Whether it may be started; default: true.'),
  source: Source.optional().describe('Where it comes from; default: manual.'),
  package: Package.optional().describe('What is run, or reached.'),
  transport: Transport.optional().describe('How it is reached: `stdio`, or `http` or `sse` with a URL.'),
  args: z.array(text()).optional().describe('Arguments of the server.'),
  cwd: text().optional().describe('Working directory of its process; default: the home of Switchboard.'),
  env_vars: z
    .record(z.string().regex(VARIABLE_NAME), GivenValue)
    .optional()
    .describe('Environment variables by name: letters, digits and _.'),
  headers: z.record(z.string().regex(HEADER_NAME), GivenValue).optional().describe('HTTP headers by name.'),
  auth: Auth.optional().describe('How a remote server is signed in to; default: none.'),
  config: z.record(z.string(), z.json()).optional().describe('Values for its own configuration schema.'),
  tools: z
    .strictObject({
      allow: z.array(text()).optional().describe('Only these; default: all.'),
      deny: z.array(text()).optional().describe('All but these; default: none.'),
    })
    .optional()
    .describe('Which of its tools are offered; patterns with `*`.'),
  start: z.enum(['eager', 'lazy']).optional().describe('With the daemon, or by the first call; default: eager.'),
  idle_stop_ms: timeout().describe('Stop it after so long without a call, in ms, until the next call.'),
  trusted: z
    .boolean()
    .optional()
    .describe('Offer changed tools without a review, and pass results on unchanged; default: false.'),
  protocol: z.enum(['auto', 'sessions', 'stateless']).optional().describe('Era of the protocol; default: auto.'),
  connection: z
    .enum(['shared', 'per_session'])
    .optional()
    .describe('One connection for all clients, or one per client session; default: shared.'),
  handshake_timeout_ms: timeout().describe(
    'Timeout of its start, in ms; default: servers.handshake_timeout_ms of the configuration.',
  ),
  call_timeout_ms: timeout().describe('Timeout of a call without progress, in ms; default: servers.call_timeout_ms.'),
  max_result_bytes: z
    .int()
    .min(1_024)
    .max(268_435_456)
    .optional()
    .describe('Largest result that is passed on, in bytes; default: servers.max_result_bytes.'),
};

const ServerInput = z.strictObject(ServerFields);
export type ServerInput = z.output<typeof ServerInput>;
export type GivenValue = z.output<typeof GivenValue>;
