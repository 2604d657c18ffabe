import { z } from 'zod';
import type { Session } from '../domain/session.ts';

/** A session as callers see it. */
export const SessionView = z.object({
  id: z.string(),
  state: z.enum(['created', 'initializing', 'ready', 'closing', 'closed']),
  client: z.string().optional(),
  transport: z.enum(['stdio', 'http', 'sse']),
  protocol_version: z.string().optional(),
  principal: z.string(),
  only: z.array(z.string()),
  created_at: z.string(),
  last_active_at: z.string(),
  subscriptions: z.array(z.string()),
  closed_because: z.string().optional(),
});

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
