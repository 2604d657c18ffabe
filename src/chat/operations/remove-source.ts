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
  /** Deletes the secrets that the source's connector has stored. */
  forgetSecrets(source: string): Promise<void>;
  /** The list of sources has changed. */
  reloadSources(): Promise<void>;
}

export const removeSource = operation({
  cli: { path: 'chat remove', positionals: ['source'], examples: ['switchboard chat remove old-telegram'] },
  rest: { method: 'DELETE', path: '/sources/:source' },
  kind: 'command',
  effect: 'destroys',
  right: 'manage',
  // For sources with millions of messages.
  deadlineMs: 60 * 60_000,
  description: 'Removes a source with all its chats, messages and secrets. Nothing is deleted on the network.',
  input: z.strictObject({ source: z.string().describe('Id of the source.') }),
  output: z.object({ source: z.string(), removed_messages: z.int() }),
  async run(
    { source },
    { sources, sourceRepository, imports, forgetSecrets, reloadSources, progress }: OperationContext & RemoveParts,
  ) {
    const found = await sources.find(source);
    if (found?.configuredIn === 'file') {
      throw new AppError('CONFLICT', 'This source is in config.yaml, so it would be added again immediately.', {
        field: 'source',
        hint: 'Remove it from the file first, then remove it here to delete its messages.',
      });
    }
    if (found?.howToRemove !== undefined) {
      throw new AppError('CONFLICT', 'This source is not only in chat.', { field: 'source', hint: found.howToRemove });
    }
    // The store may still hold messages of a source that is no longer configured.
    if (!found && !(await sourceRepository.withData()).includes(source)) await knownSource(sources, source);
    if (await imports.isRunning(source)) {
      throw new AppError('BUSY', 'An import into this source is running.', {
        field: 'source',
        hint: 'Cancel it, or wait until it is done, and then remove the source.',
      });
    }
    // Unlisted first, so that no new message is stored while the others are deleted.
    await sourceRepository.unlist(source);
    await reloadSources();
    await forgetSecrets(source);
    const removed = await sourceRepository.remove(source, (done, total) => progress(done, total, 'messages'));
    return { source, removed_messages: removed };
  },
  render: ({ source, removed_messages: removed }) => `Removed ${source} with ${removed} messages.`,
});
