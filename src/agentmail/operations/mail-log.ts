import { z } from 'zod';
import { type OperationContext, operation } from '../../operation.ts';
import { requireAllLetters } from '../letter-access.ts';
import { LetterPageView, letterFilter, toLetterView } from './letter-view.ts';
import type { IndexParts } from './parts.ts';

export const mailLog = operation({
  cli: {
    path: 'agentmail log',
    examples: ['switchboard agentmail log', 'switchboard agentmail log --agent reviewer --limit 10'],
  },
  rest: { method: 'GET', path: '/agentmail/letters' },
  kind: 'query',
  effect: 'reads',
  confined: true,
  description: 'Messages between agents, newest first.',
  input: z.strictObject(letterFilter),
  output: LetterPageView,
  async run({ agent, repository, limit, cursor }, { indexer, index, principal }: OperationContext & IndexParts) {
    requireAllLetters(principal);
    await indexer.refresh();
    const { letters, next } = await index.find({
      limit,
      ...(agent === undefined ? {} : { agent }),
      ...(repository === undefined ? {} : { repository }),
      ...(cursor === undefined ? {} : { cursor }),
    });
    return { letters: letters.map(toLetterView), ...(next === undefined ? {} : { next_cursor: next }) };
  },
});
