import { z } from 'zod';
import { operation } from '../../operation.ts';
import type { DaemonPort } from '../daemon-port.ts';

export const daemonLogs = operation({
  cli: {
    local: true,
    path: 'daemon logs',
    examples: ['switchboard daemon logs', 'switchboard daemon logs -n 20', 'switchboard daemon logs -f'],
    letters: { n: 'lines', f: 'follow' },
  },
  kind: 'query',
  effect: 'reads',
  right: 'manage',
  description: "The last lines of the daemon's log.",
  input: z.strictObject({
    lines: z.int().min(1).max(10_000).default(100).describe('Number of lines.'),
    follow: z.boolean().default(false).describe('Follow new lines until interrupted.'),
    after: z.int().min(0).optional().describe('All lines after this `position` of an earlier answer.'),
  }),
  output: z.object({ path: z.string(), lines: z.array(z.string()).readonly(), position: z.int().min(0) }),
  run: ({ lines, after }, { daemon }: { daemon: DaemonPort }) => daemon.logs({ lines, after }),
  follow: {
    isWanted: ({ follow }) => follow,
    async *stream({ lines, after }, { daemon, signal }) {
      yield* await daemon.followLogs({ lines, after }, signal);
    },
    resume: (input, { position }) => ({ ...input, after: position }),
  },
  render: ({ path, lines }) => (lines.length === 0 ? `Nothing has been written to ${path}.` : lines.join('\n')),
});
