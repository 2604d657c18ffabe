import type { KnownToken } from '../domain/principal.ts';
import type { OperationContext } from '../operation.ts';

export type { SessionRepository } from '../domain/session.ts';

/** Caller, operation, time, duration and result. Never the content. */
export interface AuditEntry {
  at: number;
  principal: string;
  door: string;
  operation: string;
  effect: 'reads' | 'writes' | 'sends' | 'destroys';
  durationMs: number;
  /** `ok` or an error code. */
  result: string;
  /** The beginning of the principal's identity: two tokens of one name differ in it, and no token can be guessed from it. */
  identity?: string;
  session?: string;
  /** What the call named (`{ source: 'libera', chat: '#ops' }`): ids and names, never content. */
  object?: Readonly<Record<string, string>>;
  /** Why it was refused, in our own text. */
  reason?: string;
  /** It may be written later, together with others. */
  isBatched?: boolean;
}

/** An entry with its number, which grows with time. */
export interface StoredAuditEntry extends AuditEntry {
  position: number;
}

export interface AuditFilter {
  principal?: string;
  operation?: string;
  effect?: AuditEntry['effect'];
  /** `refused`: the caller lacked a right or an identity. */
  result?: 'ok' | 'refused' | 'failed';
  /** Inclusive, milliseconds. */
  since?: number;
  /** Exclusive, milliseconds. */
  until?: number;
  /** Named by the call as its chat, destination or resource. */
  chat?: string;
  /** Older or newer than this entry. */
  before?: number;
  after?: number;
  /** Default 1,000. */
  limit?: number;
}

export interface AuditLog {
  /** Reads are written in batches; anything that changes the world is on disk when this returns. */
  append(entry: AuditEntry): Promise<void>;
  /** Newest first. */
  list(filter?: AuditFilter): Promise<readonly StoredAuditEntry[]>;
  find(position: number): Promise<StoredAuditEntry | undefined>;
  /** Calls the listener after entries were written by this process. Returns a function that stops listening. */
  listen(listener: () => void): Promise<() => void>;
  flush(): Promise<void>;
  prune(before: number): Promise<number>;
}

/** A stored token: never its value, only its SHA-256 in hexadecimal. */
export interface StoredToken extends KnownToken {
  createdAt: number;
}

export interface TokenRepository {
  /** False when the name exists already; that token is unchanged. */
  add(token: StoredToken): Promise<boolean>;
  /** By name. */
  list(): Promise<readonly StoredToken[]>;
  /** With the tokens that it made. `last`: there are no others and it stays; without `evenLast` one token always remains. */
  remove(
    token: Pick<StoredToken, 'name' | 'hash'>,
    options: { evenLast: boolean },
  ): Promise<'removed' | 'last' | 'unknown'>;
}

/** Tokens in the configuration file, which only the user can change. */
export type ConfiguredTokens = () => Promise<readonly Omit<StoredToken, 'createdAt'>[]>;

export interface StoreReport {
  kind: 'sqlite' | 'postgres';
  /** File, or address without credentials. */
  location: string;
  bytes: number;
  /** Newest migration applied. */
  schema: number;
}

export interface CheckReport {
  ok: boolean;
  /** One sentence for each problem found. */
  problems: readonly string[];
}

export interface StoreAdmin {
  report(): Promise<StoreReport>;
  /** A consistent copy while other processes write. Replaces a file only if `replace` is set. */
  backup(
    path: string,
    options: { replace: boolean; progress?: (done: number, total: number) => void },
  ): Promise<{ path: string; bytes: number }>;
  check(): Promise<CheckReport>;
  vacuum(): Promise<{ bytesBefore: number; bytesAfter: number }>;
}

/** Replaces the store; no other process may use it. */
export interface RestorePort {
  restore(
    path: string,
    progress?: (done: number, total: number) => void,
  ): Promise<{ path: string; bytes: number; schema: number; kept?: string }>;
}

/** The status of the program, as shown to users: names are those of the answer. */
export interface StatusView {
  version: string;
  uptime_ms: number;
  capabilities: readonly string[];
  /** MCP clients with an open session. */
  sessions: number;
  /** Not for a caller that is confined to some chats, like `secrets`. */
  store?: StoreReport;
  /** The provider of the master key of the secrets. */
  secrets?: string;
  /** The status of the capabilities, each under its own key. */
  [key: string]: unknown;
}

export interface StatusPort {
  /** As the caller may see it. */
  status(context: OperationContext): Promise<StatusView>;
}
