import { z } from 'zod';
import { AppError } from '../../domain/errors.ts';
import type { SessionId } from '../../domain/ids.ts';
import { operation } from '../../operation.ts';
import type { SessionRepository } from '../ports.ts';
import { SessionView } from '../session-schema.ts';
import { toSessionView } from '../session-view.ts';

export const getSession = operation({
  cli: {
    path: 'sessions show',
    positionals: ['id'],
    examples: ['switchboard sessions show 00mfz3k2q1c0ffee0123456789'],
  },
  rest: { method: 'GET', path: '/sessions/:id' },
  kind: 'query',
  effect: 'reads',
  right: 'manage',
  confined: true,
  description: 'One session of an MCP client: state, principal, subscriptions.',
  input: z.strictObject({ id: z.string().min(1).max(100).describe('Session id, from `sessions list`.') }),
  output: SessionView,
  async run({ id }, { sessions }: { sessions: SessionRepository }) {
    const session = await sessions.find(id as SessionId);
    if (!session) {
      throw new AppError('NOT_FOUND', 'There is no session with this id.', {
        field: 'id',
        hint: '`switchboard sessions list` shows the sessions there are.',
      });
    }
    return toSessionView(session);
  },
});
