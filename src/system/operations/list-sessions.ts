import { z } from 'zod';
import type { SessionId } from '../../domain/ids.ts';
import { operation } from '../../operation.ts';
import type { SessionRepository } from '../ports.ts';
import { SessionView } from '../session-schema.ts';
import { toSessionView } from '../session-view.ts';

export const listSessions = operation({
  cli: {
    path: 'sessions list',
    examples: ['switchboard sessions list --open', 'switchboard sessions list --limit 10 --json'],
  },
  rest: { method: 'GET', path: '/sessions' },
  kind: 'query',
  effect: 'reads',
  right: 'manage',
  confined: true,
  description: 'Lists the sessions of MCP clients, newest first.',
  input: z.strictObject({
    open: z.boolean().default(false).describe('Only open sessions.'),
    limit: z.int().min(1).max(500).default(100).describe('Maximum number.'),
    cursor: z.string().min(1).max(100).optional().describe('`next_cursor` of an earlier answer.'),
  }),
  output: z.object({ sessions: z.array(SessionView), next_cursor: z.string().optional() }),
  async run({ open, limit, cursor }, { sessions }: { sessions: SessionRepository }) {
    // One more than requested, to know whether there is another page.
    const found = await sessions.list({
      limit: limit + 1,
      ...(open ? { open } : {}),
      ...(cursor === undefined ? {} : { before: cursor as SessionId }),
    });
    const page = found.slice(0, limit);
    const last = page.at(-1);
    return {
      sessions: page.map(toSessionView),
      ...(found.length > limit && last ? { next_cursor: last.id } : {}),
    };
  },
});
