import { z } from 'zod';
import { AppError } from '../../domain/errors.ts';
import { type OperationContext, operation } from '../../operation.ts';
import type { Imports } from '../import/imports.ts';
import { knownSource } from '../lookup.ts';
import type { SourceRepository } from '../ports.ts';
import type { Sources } from '../sources.ts';

export interface RemoveParts {
  sources: Sources;
  sourceRepository: SourceRepository;
  imports: Pick<Imports, 'isRunning'>;
  /** The list of sources has changed. */
  reloadSources(): Promise<void>;
}

export const removeSource = operation({
  cli: { path: 'chat remove', positionals: ['source'], examples: ['switchboard chat remove old-telegram'] },
  rest: { method: 'DELETE', path: '/sources/:source' },
  kind: 'command',
  effect: 'destroys',
  right: 'manage',
  // A million messages take a while.
  deadlineMs: 60 * 60_000,
  description: 'Removes a source with all its chats and messages from the store. Nothing is deleted on the network.',
  input: z.strictObject({ source: z.string().describe('Id of the source.') }),
  output: z.object({ source: z.string(), removed_messages: z.int() }),
  async run(
    { source },
    { sources, sourceRepository, imports, reloadSources, progress }: OperationContext & RemoveParts,
  ) {
    const found = await sources.find(source);
    if (found?.configuredIn === 'file') {
      throw new AppError('CONFLICT', 'This source stands in config.yaml, so that it would come back at once.', {
        field: 'source',
        hint: 'Take it out of the file first, then remove it to delete its messages.',
      });
    }
    // Of one that is not there any more something may be left.
    if (!found && !(await sourceRepository.withData()).includes(source)) await knownSource(sources, source);
    if (await imports.isRunning(source)) {
      throw new AppError('BUSY', 'An import into this source is running.', {
        field: 'source',
        hint: 'End it, or wait until it is done, and then remove the source.',
      });
    }
    // Nobody finds it from here on, so that nothing comes in while its messages go.
    await sourceRepository.unlist(source);
    await reloadSources();
    const removed = await sourceRepository.remove(source, (done, total) => progress(done, total, 'messages'));
    return { source, removed_messages: removed };
  },
  render: ({ source, removed_messages: removed }) => `Removed ${source} with ${removed} messages.`,
});
