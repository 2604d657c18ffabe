import { z } from 'zod';
import { type OperationContext, operation } from '../../operation.ts';
import { requireAllLetters } from '../letter-access.ts';
import { LetterPageView, letterFilter, toLetterView } from './letter-view.ts';
import type { IndexParts } from './parts.ts';

export const search = operation({
  cli: {
    path: 'agentmail search',
    positionals: ['words'],
    examples: ['switchboard agentmail search deploy', 'switchboard agentmail search failing test --agent reviewer'],
  },
  rest: { method: 'GET', path: '/agentmail/search' },
  kind: 'query',
  effect: 'reads',
  confined: true,
  description: 'Searches the mail of all agents for words or beginnings of words; newest first.',
  input: z.strictObject({
    words: z.array(z.string().min(1).max(200)).min(1).max(20).describe('Words to search for; all must match.'),
    ...letterFilter,
  }),
  output: LetterPageView,
  async run({ words, agent, repository, limit, cursor }, { indexer, index, principal }: OperationContext & IndexParts) {
    requireAllLetters(principal);
    await indexer.refresh();
    const { letters, next } = await index.find({
      words: words.flatMap((each) => each.split(/\s+/)),
      limit,
      ...(agent === undefined ? {} : { agent }),
      ...(repository === undefined ? {} : { repository }),
      ...(cursor === undefined ? {} : { cursor }),
    });
    return { letters: letters.map(toLetterView), ...(next === undefined ? {} : { next_cursor: next }) };
  },
});
