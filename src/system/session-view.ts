import type { z } from 'zod';
import type { Session } from '../domain/session.ts';
import type { SessionView } from './session-schema.ts';

export function toSessionView(session: Session): z.input<typeof SessionView> {
  const { client, protocolVersion, closedBecause } = session;
  return {
    id: session.id,
    state: session.state,
    ...(client === undefined ? {} : { client: `${client.name} ${client.version}` }),
    transport: session.transport,
    ...(protocolVersion === undefined ? {} : { protocol_version: protocolVersion }),
    principal: session.principal,
    only: [...session.only],
    created_at: new Date(session.createdAt).toISOString(),
    last_active_at: new Date(session.activeAt).toISOString(),
    subscriptions: [...session.subscriptions],
    ...(closedBecause === undefined ? {} : { closed_because: closedBecause }),
  };
}
