import { z } from 'zod';
import type { Capability } from '../../../src/capability.ts';
import { AppError } from '../../../src/domain/errors.ts';
import type { EventLog } from '../../../src/domain/event-log.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import { createOffer } from '../../../src/mcp/offer.ts';
import type { Registry } from '../../../src/mcp/registry.ts';
import { operation } from '../../../src/operation.ts';
import { createPipeline } from '../../../src/pipeline.ts';
import { silentLog } from '../operation-context.ts';

const echo = operation({
  mcp: { name: 'echo' },
  rest: { method: 'POST', path: '/echo/:times' },
  kind: 'query',
  effect: 'reads',
  description: 'Says it again.',
  input: z.strictObject({ value: z.unknown(), times: z.coerce.number().int().min(1).max(3).default(1) }),
  output: z.object({ values: z.array(z.unknown()) }),
  run: async ({ value, times }) => ({ values: Array.from({ length: times }, () => value) }),
});

const fail = operation({
  mcp: { name: 'fail' },
  rest: { method: 'GET', path: '/fail' },
  kind: 'command',
  effect: 'writes',
  description: 'Does not work.',
  input: z.strictObject({ how: z.enum(['gently', 'badly']) }),
  output: z.object({}),
  async run({ how }, { progress }) {
    progress(1, 2, 'about to fail');
    throw how === 'gently' ? new AppError('CONFLICT', 'It is not to be.') : new TypeError('x is not a function');
  },
});

const capability: Capability = {
  name: 'small',
  invalidInput: 'INVALID_PARAMETER',
  operations: [echo, fail],
  parts: {},
  resources: [
    {
      right: 'read',
      uri: 'small://one',
      name: 'One',
      description: 'One.',
      mimeType: 'text/plain',
      read: async () => 'one',
    },
  ],
  templates: [
    {
      right: 'read',
      uriTemplate: 'small://{room}/{thing}',
      name: 'Thing',
      description: 'A thing in a room.',
      mimeType: 'application/json',
      read: async ({ href }, variables) => ({
        uri: href,
        mimeType: 'application/json',
        text: JSON.stringify(variables),
      }),
      complete: async (variable, prefix) => [`${variable}-${prefix}`],
    },
  ],
  prompts: [
    {
      right: 'read',
      name: 'ask',
      description: 'Asks.',
      arguments: [{ name: 'what', description: 'What.', required: true }],
      get: async ({ what }) => ({ text: `What is ${what}?` }),
    },
  ],
};

/** A capability with one of each kind (operation, resource, prompt), behind the real pipeline. */
export function smallOffer(): {
  registry: Registry;
  capability: Capability;
  pipeline: ReturnType<typeof createPipeline>;
} {
  const pipeline = createPipeline({
    clock: systemClock,
    log: silentLog,
    deadlineMs: () => 60_000,
    mask: { mask: (text) => text, maskDeep: (value) => value },
    audit: async () => {},
  });
  const events = { listen: () => () => {} } as unknown as EventLog;
  const masker = { maskDeep: <T>(value: T) => value };
  const parts = { capabilities: [capability], pipeline, events, masker, log: silentLog };
  return { registry: createOffer(parts, { only: [], readOnly: false }), capability, pipeline };
}
