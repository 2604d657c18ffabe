import { z } from 'zod';

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
