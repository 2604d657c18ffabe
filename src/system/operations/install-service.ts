import { z } from 'zod';
import { operation } from '../../operation.ts';
import type { ServicePort } from '../service-port.ts';

export const installService = operation({
  cli: {
    local: true,
    path: 'service install',
    examples: ['switchboard service install', 'switchboard service install --port 4000 --print'],
  },
  kind: 'command',
  effect: 'writes',
  right: 'manage',
  ownerOnly: true,
  idempotent: true,
  description: 'Runs `switchboard serve` whenever you are logged in, as a systemd user unit or a launchd agent.',
  input: z.strictObject({
    port: z.int().min(1).max(65_535).default(3000).describe('Port on the loopback address.'),
    print: z.boolean().default(false).describe('Print the definition and change nothing.'),
  }),
  output: z.object({
    path: z.string(),
    changed: z.boolean(),
    started: z.boolean(),
    text: z.string().optional(),
  }),
  async run({ port, print }, { service }: { service: ServicePort }) {
    if (print) return { changed: false, started: false, ...(await service.preview(port)) };
    return service.install(port);
  },
  render: ({ path, started, text }) => {
    if (text !== undefined) return text;
    if (started) return `Switchboard runs as a service (${path}).`;
    return `Wrote ${path}. There is no program here that starts services; it runs where there is one.`;
  },
});
