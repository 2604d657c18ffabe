import { z } from 'zod';
import { formatBytes } from '../../lib/format-bytes.ts';
import { operation } from '../../operation.ts';
import type { StoreAdmin } from '../ports.ts';

export const vacuumStore = operation({
  cli: { path: 'db vacuum', examples: ['switchboard db vacuum'] },
  kind: 'command',
  effect: 'writes',
  right: 'manage',
  deadlineMs: 3_600_000,
  idempotent: true,
  description: 'Returns unused space of the store to the disk. No data is lost.',
  input: z.strictObject({}),
  output: z.object({ bytes_before: z.int(), bytes_after: z.int() }),
  async run(_, { store }: { store: StoreAdmin }) {
    const { bytesBefore, bytesAfter } = await store.vacuum();
    return { bytes_before: bytesBefore, bytes_after: bytesAfter };
  },
  render: ({ bytes_before, bytes_after }) =>
    `The store took ${formatBytes(bytes_before)} and now takes ${formatBytes(bytes_after)}.`,
});
