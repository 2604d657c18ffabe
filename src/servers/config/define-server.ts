import { AppError } from '../../domain/errors.ts';
import type {
  ConfiguredValue,
  ServerAuth,
  ServerConfig,
  ServerPackage,
  ServerTransport,
} from '../../domain/server-config.ts';
import { isHttpAddress } from '../draft/draft-url.ts';
import { isSecretHeader, isSecretValue } from '../draft/secret-names.ts';
import { serverIdOf } from './server-id.ts';
import type { GivenValue, ServerInput } from './server-input.ts';

export const BEARER_SECRET = 'bearer_token';
const CLIENT_SECRET = 'oauth_client_secret';
/** Names of secrets of headers: a variable cannot have such a name, so that the two do not collide. */
const headerSecret = (name: string) => `header.${name.toLowerCase().replace(/[^a-z0-9-]/g, '-')}`;

/** A checked configuration, and the secrets that were given with it: they go to the secrets store. */
export interface DefinedServer {
  config: ServerConfig;
  secrets: ReadonlyMap<string, string>;
}

/** Checks what a caller gave, in the order and with the texts of the specification. Names with a stored secret are `known`. */
export function defineServer(input: ServerInput, known: ReadonlySet<string> = new Set()): DefinedServer {
  const name = (input.name ?? '').trim();
  if (name === '') throw new AppError('VALIDATION_ERROR', 'Name is required', { field: 'name' });
  const secrets = new Map<string, string>();
  const transport = transportOf(input);
  const config: ServerConfig = {
    id: serverIdOf(name),
    name,
    enabled: input.enabled ?? true,
    source: input.source ?? { type: 'manual' },
    package: packageOf(input, transport),
    transport: required(transport),
    args: input.args ?? [],
    env_vars: valuesOf(input.env_vars, (key) => key, secrets),
    headers: valuesOf(input.headers, headerSecret, secrets),
    auth: authOf(input.auth, secrets),
    config: input.config ?? {},
    tools: toolsOf(input.tools),
    start: input.start ?? 'eager',
    trusted: input.trusted ?? false,
    protocol: input.protocol ?? 'auto',
    connection: input.connection ?? 'shared',
    ...(input.cwd === undefined ? {} : { cwd: input.cwd }),
    ...(input.idle_stop_ms === undefined ? {} : { idle_stop_ms: input.idle_stop_ms }),
    ...(input.handshake_timeout_ms === undefined ? {} : { handshake_timeout_ms: input.handshake_timeout_ms }),
    ...(input.call_timeout_ms === undefined ? {} : { call_timeout_ms: input.call_timeout_ms }),
    ...(input.max_result_bytes === undefined ? {} : { max_result_bytes: input.max_result_bytes }),
  };
  checkTransport(config);
  checkCredentials(config, new Set([...known, ...secrets.keys()]));
  return { config, secrets };
}

function packageOf(input: ServerInput, transport: ServerTransport | undefined): ServerPackage {
  const { type, identifier = '', version, runtime_hint: hint, runtime_args: runtimeArgs } = input.package ?? {};
  const url = transport && 'url' in transport ? transport.url : '';
  const given = identifier.trim() === '' && type === 'http' ? url : identifier.trim();
  if (type === undefined || given === '') {
    throw new AppError('VALIDATION_ERROR', 'Package identifier required', { field: 'package.identifier' });
  }
  return {
    type,
    identifier: given,
    ...(version === undefined ? {} : { version }),
    ...(hint === undefined || hint === null ? {} : { runtime_hint: hint }),
    ...(runtimeArgs === undefined ? {} : { runtime_args: runtimeArgs }),
  };
}

function transportOf({ transport, package: given }: ServerInput): ServerTransport | undefined {
  if (transport === undefined) return undefined;
  const { type, url = undefined } = typeof transport === 'string' ? { type: transport } : transport;
  return type === 'stdio' ? { type } : { type, url: url ?? given?.identifier ?? '' };
}

function required(transport: ServerTransport | undefined): ServerTransport {
  if (transport) return transport;
  throw new AppError('VALIDATION_ERROR', 'Transport required', {
    field: 'transport',
    hint: 'It is {"type": "stdio"}, or {"type": "http", "url": "https://…"} for a remote server.',
  });
}

function checkTransport({ package: { type }, transport }: ServerConfig): void {
  if ((type === 'http') !== 'url' in transport) {
    const wanted = type === 'http' ? 'http or sse, with a URL' : 'stdio';
    throw new AppError('VALIDATION_ERROR', `The transport of this package must be ${wanted}.`, { field: 'transport' });
  }
  if (!('url' in transport) || isHttpAddress(transport.url)) return;
  throw new AppError('VALIDATION_ERROR', 'The URL must begin with http:// or https://, without a password in it.', {
    field: 'transport.url',
  });
}

/** A server is not saved while something that it requires is missing. */
function checkCredentials({ env_vars, headers }: ServerConfig, known: ReadonlySet<string>): void {
  const isMissing = ({ required: isRequired, value, secret_ref: ref }: ConfiguredValue) =>
    isRequired === true && (value === undefined || value === '') && (ref === undefined || !known.has(ref));
  const missing = [...Object.entries(env_vars), ...Object.entries(headers)].filter(([, value]) => isMissing(value));
  if (missing.length > 0) throw missingCredentials(missing.map(([name]) => name));
}

export function missingCredentials(names: readonly string[]): AppError {
  return new AppError('VALIDATION_ERROR', 'Missing required credentials', {
    field: 'env_vars',
    hint: `Set ${names.join(', ')}: switchboard servers secret NAME ${names[0]}`,
  });
}

function valuesOf(
  given: Readonly<Record<string, GivenValue>> = {},
  secretName: (key: string) => string,
  secrets: Map<string, string>,
): Record<string, ConfiguredValue> {
  const entries = Object.entries(given).map(([key, value]): [string, ConfiguredValue] => [
    key,
    configuredValue(key, typeof value === 'string' ? { value } : value, secretName(key), secrets),
  ]);
  return Object.fromEntries(entries);
}

function configuredValue(
  key: string,
  given: Exclude<GivenValue, string>,
  secretName: string,
  secrets: Map<string, string>,
): ConfiguredValue {
  const { value, secret_ref: ref, required: isRequired, description } = given;
  const isReference = typeof value === 'string' && /^\$\{(?:env|secret):[^}]*\}$/.test(value);
  const isSecret =
    given.is_secret ??
    ((ref ?? undefined) !== undefined || ((isSecretHeader(key) || isSecretValue(value ?? '')) && !isReference));
  const kept = {
    is_secret: isSecret,
    ...(isRequired === undefined ? {} : { required: isRequired }),
    ...(description === undefined ? {} : { description }),
  };
  // A secret wins over a value, as the specification says.
  if (ref !== undefined && ref !== null) return { ...kept, secret_ref: ref };
  if (!isSecret || isReference) return { ...kept, ...(value === undefined || value === null ? {} : { value }) };
  if (value !== undefined && value !== null && value !== '') secrets.set(secretName, value);
  return { ...kept, secret_ref: secretName };
}

function authOf(given: ServerInput['auth'], secrets: Map<string, string>): ServerAuth {
  if (given === undefined || given.type === 'none') return { type: 'none' };
  if (given.type === 'bearer') {
    if (given.token !== undefined && given.token !== '') secrets.set(BEARER_SECRET, given.token);
    return { type: 'bearer' };
  }
  const { client_id: clientId, client_secret: secret, scopes } = given;
  if (secret !== undefined && secret !== '') secrets.set(CLIENT_SECRET, secret);
  return {
    type: 'oauth',
    ...(clientId === undefined ? {} : { client_id: clientId }),
    ...(scopes === undefined ? {} : { scopes }),
  };
}

function toolsOf(given: ServerInput['tools']): ServerConfig['tools'] {
  const { allow, deny } = given ?? {};
  return { ...(allow === undefined ? {} : { allow }), ...(deny === undefined ? {} : { deny }) };
}
