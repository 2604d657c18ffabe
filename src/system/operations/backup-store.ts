import { mkdir } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import { z } from 'zod';
import { AppError } from '../../domain/errors.ts';
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
  ownerOnly: true,
  deadlineMs: 3_600_000,
  description: 'Copies the store to a file while Switchboard runs. The copy is complete and verified.',
  input: z.strictObject({
    path: z
      .string()
      .min(1)
      .refine(isAbsolute, 'must be an absolute path')
      .optional()
      .meta({ format: 'path', description: 'Path of the copy; default: a new file in backups/ of the home.' }),
    replace: z.boolean().default(false).describe('Replace an existing file.'),
  }),
  output: z.object({ path: z.string(), bytes: z.int() }),
  async run({ path, replace }, { store, home, clock, progress }: OperationContext & Parts) {
    const target = path ?? join(await backupFolder(home), fileName(clock.now()));
    return store.backup(target, { replace, progress });
  },
  render: ({ path, bytes }) => `Copied the store to ${path} (${formatBytes(bytes)}).`,
});

interface Parts {
  store: StoreAdmin;
  home: string;
  clock: Clock;
}

async function backupFolder(home: string): Promise<string> {
  const folder = join(home, 'backups');
  await mkdir(folder, { recursive: true, mode: 0o700 }).catch((cause: unknown) => {
    throw new AppError('SERVICE_UNAVAILABLE', `The folder ${folder} could not be made.`, { cause });
  });
  return folder;
}

function fileName(now: number): string {
  const timestamp = new Date(now).toISOString().replaceAll(/[-:]/g, '').replace('.', '-');
  return `switchboard-${timestamp}.db`;
}
