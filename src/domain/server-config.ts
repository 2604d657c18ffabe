import type { Brand } from './ids.ts';
import type { JsonObject } from './json.ts';

/** `github`: letters, digits and dashes. The beginning of the names of its tools, so it never changes. */
export type ServerId = Brand<string, 'ServerId'>;

export const PACKAGE_TYPES = ['npm', 'pypi', 'docker', 'binary', 'http'] as const;
export type PackageType = (typeof PACKAGE_TYPES)[number];

/** Another MCP server, as it is configured. It holds no secret: those are in the secrets store, by the names given here. */
export interface ServerConfig {
  id: ServerId;
  /** As the user wrote it. */
  name: string;
  enabled: boolean;
  source: ServerSource;
  package: ServerPackage;
  transport: ServerTransport;
  /** Arguments for the server, after those that start its package. */
  args: readonly string[];
  /** Working directory of its process; default: the home of Switchboard. */
  cwd?: string;
  env_vars: Readonly<Record<string, ConfiguredValue>>;
  /** HTTP headers by name, for remote servers. */
  headers: Readonly<Record<string, ConfiguredValue>>;
  auth: ServerAuth;
  /** Values for a server that is configured by a schema of its own. */
  config: JsonObject;
  /** Which of its tools are offered; patterns with `*`. Without `allow`, all but the denied. */
  tools: { allow?: readonly string[]; deny?: readonly string[] };
  /** Started with the daemon, or by the first call that needs it. */
  start: 'eager' | 'lazy';
  /** Stopped after so long without a call, until the next one. */
  idle_stop_ms?: number;
  /** What it offers may change without being reviewed, and its results are passed on unchanged. */
  trusted: boolean;
  /** The era of the protocol; `auto` is sessions where the server has them. */
  protocol: 'auto' | 'sessions' | 'stateless';
  /** One connection for all clients, or one for each client session. */
  connection: 'shared' | 'per_session';
  handshake_timeout_ms?: number;
  call_timeout_ms?: number;
  max_result_bytes?: number;
}

export type ServerSource =
  | { type: 'manual' }
  | { type: 'official'; name: string; version: string }
  | { type: 'smithery'; qualified_name: string }
  | { type: 'import'; program: string };

export interface ServerPackage {
  type: PackageType;
  /** Package name, image, path of a program, or URL. */
  identifier: string;
  version?: string;
  /** The program that runs the package, where it is not the usual one: `npx`, `uvx`, `docker`. */
  runtime_hint?: string;
  /** Arguments for that program, before the package. */
  runtime_args?: readonly string[];
}

export type ServerTransport = { type: 'stdio' } | { type: 'http'; url: string } | { type: 'sse'; url: string };

/** A variable or a header. A secret has a name in the secrets store instead of a value. */
export interface ConfiguredValue {
  value?: string;
  /** Name of the secret in the group of this server; the value may contain it as `${secret:NAME}`, too. */
  secret_ref?: string;
  is_secret: boolean;
  /** The server does not start without it. */
  required?: boolean;
  description?: string;
}

export type ServerAuth =
  | { type: 'none' }
  /** `Authorization: Bearer` with the secret `bearer_token`. */
  | { type: 'bearer' }
  /** Without `client_id` we register by ourselves. `redirect_uri` is for authorities that compare it exactly, with its port. */
  | { type: 'oauth'; client_id?: string; redirect_uri?: string; scopes?: readonly string[] };
