import { z } from 'zod';
import { operation } from '../../operation.ts';
import type { IndexParts } from './parts.ts';

export const rebuildIndex = operation({
  cli: { path: 'agentmail index rebuild', examples: ['switchboard agentmail index rebuild'] },
  rest: { method: 'POST', path: '/agentmail/index/rebuild' },
  kind: 'command',
  effect: 'writes',
  right: 'manage',
  idempotent: true,
  deadlineMs: 10 * 60_000,
  description: 'Rebuilds the index of agent mail from the mailboxes.',
  input: z.strictObject({}),
  output: z.object({ repositories: z.int(), letters: z.int() }),
  run: (_, { indexer }: IndexParts) => indexer.rebuild(),
  render: ({ repositories, letters }) =>
    `Indexed ${letters} ${letters === 1 ? 'letter' : 'letters'} of ${repositories} ${repositories === 1 ? 'repository' : 'repositories'}.`,
});
