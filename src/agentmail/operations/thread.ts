import { z } from 'zod';
import { AppError } from '../../domain/errors.ts';
import { type OperationContext, operation } from '../../operation.ts';
import { requireAllLetters } from '../letter-access.ts';
import { LetterView, toLetterView } from './letter-view.ts';
import type { IndexParts } from './parts.ts';

export const thread = operation({
  cli: { path: 'agentmail thread', positionals: ['id'], examples: ['switchboard agentmail thread Z1GQ4oET'] },
  rest: { method: 'GET', path: '/agentmail/threads/:id' },
  kind: 'query',
  effect: 'reads',
  confined: true,
  description: 'A message of agent mail with the messages it replies to and its replies, oldest first.',
  input: z.strictObject({ id: z.string().min(1).max(100).describe('Id of any message in the thread.') }),
  output: z.object({ letters: z.array(LetterView) }),
  async run({ id }, { indexer, index, principal }: OperationContext & IndexParts) {
    requireAllLetters(principal);
    await indexer.refresh();
    const letters = await index.thread(id);
    if (letters.length > 0) return { letters: letters.map(toLetterView) };
    throw new AppError('MESSAGE_NOT_FOUND', 'No letter with this id is known.', {
      field: 'id',
      hint: '`switchboard agentmail log` shows the letters there are.',
    });
  },
});
