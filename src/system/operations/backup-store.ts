import { isAbsolute, join } from 'node:path';
import { z } from 'zod';
import type { Clock } from '../../lib/clock.ts';
import { formatBytes } from '../../lib/format-bytes.ts';
import { type OperationContext, operation } from '../../operation.ts';
import type { StoreAdmin } from '../ports.ts';

export const backupStore = operation({
  cli: {
    path: 'db backup',
    positionals: ['path'],
    examples: ['switchboard db backup', 'switchboard db backup /mnt/disk/switchboard.db --replace'],
  },
  kind: 'command',
  effect: 'writes',
  right: 'manage',
  deadlineMs: 3_600_000,
  description: 'Copies the store to a file while everything goes on. Each copy is whole and can be opened at once.',
  input: z.strictObject({
    path: z
      .string()
      .min(1)
      .refine(isAbsolute, 'must be an absolute path')
      .optional()
      .meta({ format: 'path', description: 'Where the copy goes; by default a new file in backups/ of the home.' }),
    replace: z.boolean().default(false).describe('Replace the file when there is one.'),
  }),
  output: z.object({ path: z.string(), bytes: z.int() }),
  run({ path, replace }, { store, home, clock, progress }: OperationContext & Parts) {
    return store.backup(path ?? defaultPath(home, clock.now()), { replace, progress });
  },
  render: ({ path, bytes }) => `Copied the store to ${path} (${formatBytes(bytes)}).`,
});

interface Parts {
  store: StoreAdmin;
  home: string;
  clock: Clock;
}

function defaultPath(home: string, now: number): string {
  const timestamp = new Date(now).toISOString().replaceAll(/[-:]/g, '').replace('.', '-');
  return join(home, 'backups', `switchboard-${timestamp}.db`);
}
