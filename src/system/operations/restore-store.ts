import { isAbsolute } from 'node:path';
import { z } from 'zod';
import { formatBytes } from '../../lib/format-bytes.ts';
import { type OperationContext, operation } from '../../operation.ts';
import type { RestorePort } from '../ports.ts';

export const restoreStore = operation({
  cli: {
    local: true,
    path: 'db restore',
    positionals: ['path'],
    examples: ['switchboard db restore ~/.switchboard/backups/switchboard-20300101T120000-000Z.db'],
  },
  kind: 'command',
  effect: 'destroys',
  right: 'manage',
  ownerOnly: true,
  deadlineMs: 3_600_000,
  description: 'Replaces the store by a backup after checking it. The previous store is kept in backups/.',
  input: z.strictObject({
    path: z
      .string()
      .min(1)
      .refine(isAbsolute, 'must be an absolute path')
      .meta({ format: 'path', description: 'A backup made by `db backup`.' }),
  }),
  output: z.object({ path: z.string(), bytes: z.int(), schema: z.int(), kept: z.string().optional() }),
  run: ({ path }, { restore, progress }: OperationContext & { restore: RestorePort }) =>
    restore.restore(path, progress),
  render: ({ path, bytes, kept }) => {
    const old = kept === undefined ? '' : ` What was there is in ${kept}.`;
    return `Restored ${path} (${formatBytes(bytes)}).${old}`;
  },
});
