import { z } from 'zod';
import { operation } from '../../operation.ts';
import type { DaemonPort } from '../daemon-port.ts';

export const daemonStop = operation({
  cli: { local: true, path: 'daemon stop', examples: ['switchboard daemon stop'] },
  kind: 'command',
  effect: 'writes',
  right: 'manage',
  idempotent: true,
  description: 'Stops the automatically started daemon after it has answered running requests.',
  input: z.strictObject({}),
  output: z.object({ stopped: z.boolean(), pid: z.int().optional() }),
  run: (_, { daemon }: { daemon: DaemonPort }) => daemon.stop(),
  render: ({ stopped, pid }) => (stopped ? `Process ${pid} has ended.` : 'No daemon ran.'),
});
