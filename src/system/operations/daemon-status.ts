import { z } from 'zod';
import { operation } from '../../operation.ts';
import type { DaemonPort } from '../daemon-port.ts';
import { formerInForce } from '../former-in-force.ts';

export const daemonStatus = operation({
  cli: { local: true, path: 'daemon status', examples: ['switchboard daemon status'] },
  kind: 'query',
  effect: 'reads',
  description: 'Shows whether a daemon runs, since when, and its clients.',
  input: z.strictObject({}),
  output: z.object({
    running: z.boolean(),
    pid: z.int().optional(),
    version: z.string().optional(),
    kind: z.enum(['auto', 'serve', 'embedded']).optional(),
    uptime_ms: z.int().min(0).optional(),
    clients: z.int().min(0).optional(),
    url: z.string().optional(),
    config_problem: z.string().optional().describe('Why a changed configuration is not in force.'),
  }),
  run: (_, { daemon }: { daemon: DaemonPort }) => daemon.status(),
  render: ({ running, pid, version, kind = 'auto', uptime_ms = 0, clients = 0, url, config_problem: problem }) => {
    if (!running) return 'No daemon runs; whatever needs one starts it, unless daemon.autostart is false.';
    const lines = [
      `${OWNER[kind]}, process ${pid}, version ${version}, up for ${Math.floor(uptime_ms / 1000)} s.`,
      `Attached: ${clients}.`,
      ...(url === undefined ? [] : [`HTTP: ${url}`]),
      ...(problem === undefined ? [] : [formerInForce(problem)]),
    ];
    return lines.join('\n');
  },
});

const OWNER = {
  auto: 'A daemon that came up by itself',
  serve: 'switchboard serve',
  embedded: 'switchboard mcp --embedded',
} as const;
