import { z } from 'zod';
import { type OperationContext, operation } from '../../operation.ts';
import { accept } from '../review/review.ts';
import { checkPerson } from './check-person.ts';
import { ServerRef, type ServersContext } from './server-view.ts';

const DifferenceView = z.object({
  kind: z.enum(['tool', 'prompt', 'instructions']),
  name: z.string(),
  reason: z.string(),
  before: z.record(z.string(), z.json()).optional(),
  after: z.record(z.string(), z.json()),
});

const Output = z.object({
  id: z.string(),
  differences: z.array(DifferenceView),
  accepted: z.array(z.string()),
});

/** Not a tool: an agent must not accept what could instruct it. */
export const reviewServer = operation({
  cli: {
    path: 'servers review',
    positionals: ['id'],
    examples: ['switchboard servers review github', 'switchboard servers review github --accept'],
  },
  rest: { method: 'POST', path: '/servers/:id/review' },
  kind: 'command',
  effect: 'writes',
  right: 'manage',
  description:
    'Shows what another MCP server offers differently from what was accepted, or with hidden characters. It is kept back until it is accepted.',
  input: z.strictObject({
    id: ServerRef,
    accept: z.boolean().default(false).describe('Accept what is shown, so that it is offered.'),
    only: z
      .union([z.string(), z.array(z.string())])
      .optional()
      .describe('Names of the tools or prompts to show or accept; default: all.'),
  }),
  output: Output,
  async run({ id, accept: isAccepted, only }, context: OperationContext & ServersContext) {
    const server = await context.servers.find(id);
    const wanted = only === undefined ? undefined : [only].flat();
    const reviewed = server.reviewed();
    const shown = (reviewed?.differences ?? []).filter(({ name }) => wanted?.includes(name) ?? true);
    if (isAccepted && reviewed && shown.length > 0) {
      await checkPerson(context, {
        what: 'accepts what a server has changed',
        command: 'switchboard servers review NAME --accept',
      });
      await server.accept(accept(reviewed.pins, shown));
    }
    return { id: server.id, differences: [...shown], accepted: isAccepted ? shown.map(({ name }) => name) : [] };
  },
  render: ({ id, differences, accepted }) => {
    if (differences.length === 0) return `${id} offers nothing that has to be reviewed.`;
    const lines = differences.map(asText);
    const end =
      accepted.length > 0
        ? `Accepted ${accepted.join(', ')}.`
        : `Accept with: switchboard servers review ${id} --accept`;
    return [...lines, end].join('\n');
  },
});

function asText({ kind, name, reason, before, after }: z.output<typeof DifferenceView>): string {
  const heading = `${kind} ${name}: ${reason}`;
  const fields = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after)])];
  const changed = fields.filter((field) => JSON.stringify(before?.[field]) !== JSON.stringify(after[field]));
  const lines = changed.flatMap((field) => [
    ...(before?.[field] === undefined ? [] : [`  - ${field}: ${JSON.stringify(before[field])}`]),
    ...(after[field] === undefined ? [] : [`  + ${field}: ${JSON.stringify(after[field])}`]),
  ]);
  return [heading, ...lines].join('\n');
}
