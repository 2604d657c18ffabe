import type { Socket } from 'node:net';
import type { SessionId } from '../domain/ids.ts';
import type { Origin } from '../domain/origin.ts';
import { LOCAL_IDENTITY, type Principal } from '../domain/principal.ts';
import { isOpen, type Session, type SessionRepository } from '../domain/session.ts';
import { controlLine, type Hello } from '../lib/daemon-hello.ts';
import type { ClientAccess } from './connection.ts';
import type { McpDoor } from './door.ts';
import type { OfferOptions } from './offer.ts';
import { type StreamsEnd, serveStreams } from './stdio.ts';

export interface AttachedClient {
  socket: Socket;
  hello: Hello;
  principal: Principal;
  origin: Origin;
  /** Aborted when this process is asked to end. */
  stop: AbortSignal;
  /** The client of this session is served here. */
  onHeld(session: string): void;
}

/** Serves the client behind a shim. Its session outlives this process. */
export async function serveAttachedClient({ parts, offer }: McpDoor, client: AttachedClient): Promise<StreamsEnd> {
  const { socket, hello, principal, origin, stop, onHeld } = client;
  const { only = [], read_only: readOnly = false, session, heard } = hello;
  // Held before it is looked up, so that it is not closed in between.
  if (session !== undefined) onHeld(session);
  const registry = offer({ only, readOnly });
  await registry.ready?.();
  const restored = await restoredSession(parts.sessions, session, { principal, only });
  return serveStreams(parts, {
    registry,
    principal,
    origin,
    only,
    input: socket,
    output: socket,
    stop,
    outlivesProcess: true,
    ...(restored ? { restored } : {}),
    ...(heard === undefined ? {} : { lastNotified: heard }),
    notifiedLine: (number) => controlLine('heard', number),
    onSession: ({ id }) => {
      onHeld(id);
      socket.write(controlLine('session', id));
    },
  });
}

export interface OwnClient extends Pick<AttachedClient, 'principal' | 'origin' | 'stop'>, OfferOptions {
  /** The session that the former owner of the home held for this client. */
  session: string | undefined;
  setLogLevel(level: string): void;
}

/** Serves the client on standard input and output of this process. */
export async function serveOwnClient({ parts, offer }: McpDoor, client: OwnClient): Promise<StreamsEnd> {
  const { principal, origin, stop, only, readOnly, setLogLevel } = client;
  const registry = offer({ only, readOnly });
  await registry.ready?.();
  const restored = await restoredSession(parts.sessions, client.session, client);
  return serveStreams(
    { ...parts, setLogLevel },
    {
      registry,
      principal,
      origin,
      only,
      input: process.stdin,
      output: process.stdout,
      stop,
      ...(restored ? { restored } : {}),
    },
  );
}

/** The session that an earlier owner of the home held for a client. */
async function restoredSession(
  sessions: SessionRepository,
  id: string | undefined,
  { principal, only }: Pick<ClientAccess, 'principal' | 'only'>,
): Promise<Session | undefined> {
  const stored = id === undefined ? undefined : await sessions.find(id as SessionId);
  if (!stored || stored.only.join() !== only.join()) return undefined;
  // A session of an earlier version has no identity; on stdio all are the local user's.
  return (stored.identity ?? LOCAL_IDENTITY) === principal.identity ? revived(stored) : undefined;
}

/** A session continues, even one that was closed because its client was away too long. */
function revived(session: Session): Session | undefined {
  if (session.transport !== 'stdio') return undefined;
  if (isOpen(session)) return session;
  const { closedBecause, ...rest } = session;
  return closedBecause === 'connection lost' ? { ...rest, state: 'ready' } : undefined;
}
