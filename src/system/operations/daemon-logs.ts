import { z } from 'zod';
import { operation } from '../../operation.ts';
import type { DaemonPort } from '../daemon-port.ts';

export const daemonLogs = operation({
  cli: {
    local: true,
    path: 'daemon logs',
    examples: ['switchboard daemon logs', 'switchboard daemon logs --lines 20'],
  },
  kind: 'query',
  effect: 'reads',
  right: 'manage',
  description: 'The last lines that daemons of this home have written.',
  input: z.strictObject({
    lines: z.int().min(1).max(10_000).default(100).describe('How many lines.'),
  }),
  output: z.object({ path: z.string(), lines: z.array(z.string()).readonly() }),
  run: ({ lines }, { daemon }: { daemon: DaemonPort }) => daemon.logs(lines),
  render: ({ path, lines }) => (lines.length === 0 ? `Nothing has been written to ${path}.` : lines.join('\n')),
});
