import { z } from 'zod';
import { operation } from '../../operation.ts';
import type { ServicePort } from '../service-port.ts';

export const removeService = operation({
  cli: { local: true, path: 'service remove', examples: ['switchboard service remove'] },
  kind: 'command',
  effect: 'destroys',
  right: 'manage',
  ownerOnly: true,
  description: 'Stops the service and removes its definition. All data stays.',
  input: z.strictObject({}),
  output: z.object({ path: z.string() }),
  run: (_, { service }: { service: ServicePort }) => service.remove(),
  render: ({ path }) => `Stopped the service and removed ${path}.`,
});
