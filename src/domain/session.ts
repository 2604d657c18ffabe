import { AppError } from './errors.ts';
import type { SessionId } from './ids.ts';

/** One MCP client connection of the protocol's session era, as a pure aggregate. */
export interface Session {
  id: SessionId;
  state: 'created' | 'initializing' | 'ready' | 'closing' | 'closed';
  /** Name of the principal that opened the session. */
  principal: string;
  /** The identity it belongs to; sessions of earlier versions have none. */
  identity?: string;
  transport: 'stdio' | 'http' | 'sse';
  /** The capabilities this endpoint serves; empty means all. */
  only: readonly string[];
  createdAt: number;
  /** When the client last sent a request; the stored value may be up to a minute older. */
  activeAt: number;
  protocolVersion?: string;
  client?: ClientInfo;
  /** The capabilities of the client, stored so that a session survives a restart. */
  clientCapabilities?: Record<string, unknown>;
  logLevel?: string;
  subscriptions: readonly string[];
  closedBecause?: CloseReason;
}

export interface ClientInfo {
  name: string;
  version: string;
}

export type CloseReason = 'shutdown' | 'client' | 'idle' | 'evicted' | 'connection lost' | 'token removed';

/** The facts of a new session: its principal, transport and capabilities. */
type Opening = Pick<Session, 'id' | 'principal' | 'identity' | 'transport' | 'only'>;

/** What a client states in `initialize`. */
interface Introduction {
  protocolVersion: string;
  client: ClientInfo;
  clientCapabilities: Record<string, unknown>;
}

export type SessionCommand = { at: number } & (
  | ({ kind: 'create' } & Opening)
  | ({ kind: 'initialize' } & Introduction)
  | { kind: 'confirm' }
  | { kind: 'set-log-level'; level: string }
  | { kind: 'subscribe'; uri: string }
  | { kind: 'unsubscribe'; uri: string }
  | { kind: 'begin-close'; reason: CloseReason }
  | { kind: 'close'; reason: CloseReason }
);

export type SessionEvent = { at: number } & (
  | ({ type: 'SessionCreated' } & Opening)
  | ({ type: 'SessionInitializing' } & Introduction)
  | { type: 'SessionInitialized' }
  | { type: 'SessionLogLevelSet'; level: string }
  | { type: 'SessionSubscribed'; uri: string }
  | { type: 'SessionUnsubscribed'; uri: string }
  | { type: 'SessionClosing'; reason: CloseReason }
  | { type: 'SessionClosed'; reason: CloseReason }
);

/** The events of `command` for a session in this state; `undefined` is a session that does not exist yet. */
export function decide(session: Session | undefined, command: SessionCommand): SessionEvent[] {
  if (command.kind === 'create') {
    if (session) throw new AppError('CONFLICT', 'The session exists already.');
    const { kind: _, ...facts } = command;
    return [{ type: 'SessionCreated', ...facts }];
  }
  if (!session) throw new AppError('NOT_FOUND', 'There is no such session.');
  switch (command.kind) {
    case 'initialize': {
      if (session.state !== 'created') throw new AppError('CONFLICT', 'The session is initialized already.');
      const { kind: _, ...facts } = command;
      return [{ type: 'SessionInitializing', ...facts }];
    }
    case 'confirm':
      return session.state === 'initializing' ? [{ type: 'SessionInitialized', at: command.at }] : [];
    case 'set-log-level':
      assertOpen(session);
      return session.logLevel === command.level
        ? []
        : [{ type: 'SessionLogLevelSet', level: command.level, at: command.at }];
    case 'subscribe':
      assertOpen(session);
      return session.subscriptions.includes(command.uri)
        ? []
        : [{ type: 'SessionSubscribed', uri: command.uri, at: command.at }];
    case 'unsubscribe':
      return session.subscriptions.includes(command.uri)
        ? [{ type: 'SessionUnsubscribed', uri: command.uri, at: command.at }]
        : [];
    case 'begin-close':
      return isOpen(session) ? [{ type: 'SessionClosing', reason: command.reason, at: command.at }] : [];
    case 'close':
      return session.state === 'closed' ? [] : [{ type: 'SessionClosed', reason: command.reason, at: command.at }];
  }
}

export function evolve(session: Session | undefined, event: SessionEvent): Session {
  if (event.type === 'SessionCreated') {
    const { type: _, at, ...facts } = event;
    return { ...facts, state: 'created', createdAt: at, activeAt: at, subscriptions: [] };
  }
  if (!session) throw new Error(`${event.type} before SessionCreated`);
  // An end is not always its client's doing.
  if (event.type === 'SessionClosing') return { ...session, state: 'closing', closedBecause: event.reason };
  if (event.type === 'SessionClosed') return { ...session, state: 'closed', closedBecause: event.reason };
  return { ...changed(session, event), activeAt: event.at };
}

function changed(
  session: Session,
  event: Exclude<SessionEvent, { type: 'SessionCreated' | 'SessionClosing' | 'SessionClosed' }>,
): Session {
  switch (event.type) {
    case 'SessionInitializing':
      return {
        ...session,
        state: 'initializing',
        protocolVersion: event.protocolVersion,
        client: event.client,
        clientCapabilities: event.clientCapabilities,
      };
    case 'SessionInitialized':
      return { ...session, state: 'ready' };
    case 'SessionLogLevelSet':
      return { ...session, logLevel: event.level };
    case 'SessionSubscribed':
      return { ...session, subscriptions: [...session.subscriptions, event.uri] };
    case 'SessionUnsubscribed':
      return { ...session, subscriptions: session.subscriptions.filter((uri) => uri !== event.uri) };
  }
}

export function isOpen(session: Session): boolean {
  return session.state !== 'closing' && session.state !== 'closed';
}

function assertOpen(session: Session): void {
  if (!isOpen(session)) throw new AppError('CONFLICT', 'The session is closed.');
}

export interface SessionRepository {
  /** The new state and what led to it, in one transaction. */
  save(session: Session, events: readonly SessionEvent[]): Promise<void>;
  /** The client was active at this time; nothing else has happened. */
  touch(id: SessionId, at: number): Promise<void>;
  find(id: SessionId): Promise<Session | undefined>;
  delete(id: SessionId): Promise<boolean>;
  /** Newest first. */
  list(filter?: { open?: boolean; limit?: number; before?: SessionId }): Promise<readonly Session[]>;
}
