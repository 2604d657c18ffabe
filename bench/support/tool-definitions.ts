import { z } from 'zod';

/** A tool for both contenders: an operation for ours, a registered tool for the SDK's. */
export interface ToolDefinition {
  name: string;
  description: string;
  effect: 'reads' | 'writes';
  input: z.ZodObject;
  output: z.ZodObject;
  run(input: Record<string, unknown>): Record<string, unknown>;
  render(output: Record<string, unknown>): string;
}

export interface ToolCall {
  name: string;
  arguments: Record<string, unknown>;
}

const NOUNS = [
  'account',
  'chat',
  'draft',
  'event',
  'folder',
  'message',
  'recipient',
  'server',
  'session',
  'source',
] as const;

/** Thirty tools of typical kinds: lists with filters, one item by id, an update. */
export function thirtyTools(): readonly ToolDefinition[] {
  return NOUNS.flatMap((noun) => [listTool(noun), getTool(noun), updateTool(noun)]);
}

/** Small calls that only read, the most common ones of agents. */
export const READING_CALLS: readonly ToolCall[] = NOUNS.flatMap((noun) => [
  { name: `list_${noun}s`, arguments: { query: 'status', limit: 2, order: 'newest' } },
  { name: `get_${noun}`, arguments: { id: `${noun}-1`, fields: ['name', 'labels'] } },
]);

function listTool(noun: string): ToolDefinition {
  return {
    name: `list_${noun}s`,
    description: `Lists the ${noun}s that fit a text and a time, newest first. Pages with the cursor of the answer before.`,
    effect: 'reads',
    input: z.strictObject({
      query: z.string().max(500).optional().describe(`Words that the ${noun} contains.`),
      since: z.iso.datetime().optional().describe('Only what changed after this moment.'),
      order: z.enum(['newest', 'oldest']).default('newest'),
      limit: z.int().min(1).max(500).default(100).describe('How many at most.'),
      cursor: z.string().optional(),
    }),
    output: z.object({
      items: z.array(z.object({ id: z.string(), name: z.string(), updated_at: z.iso.datetime() })),
      next_cursor: z.string().optional(),
    }),
    run: ({ query }) => ({
      items: [1, 2].map((number) => ({
        id: `${noun}-${number}`,
        name: `${query ?? noun} ${number}`,
        updated_at: '2026-01-01T00:00:00Z',
      })),
    }),
    render: (output) => {
      const { items } = output as { items: { id: string; name: string }[] };
      return items.map(({ id, name }) => `${id} ${name}`).join('\n');
    },
  };
}

function getTool(noun: string): ToolDefinition {
  return {
    name: `get_${noun}`,
    description: `One ${noun} by its id, with its state and labels.`,
    effect: 'reads',
    input: z.strictObject({
      id: z.string().min(1).max(200).describe(`Id of the ${noun}, as lists give it.`),
      fields: z
        .array(z.enum(['name', 'state', 'labels']))
        .max(3)
        .optional(),
    }),
    output: z.object({
      id: z.string(),
      name: z.string(),
      state: z.enum(['active', 'paused', 'closed']),
      labels: z.array(z.string()),
    }),
    run: ({ id }) => ({ id, name: `The ${noun}`, state: 'active', labels: ['work', 'today'] }),
    render: ({ id, name, state }) => `${id} ${name} (${state})`,
  };
}

function updateTool(noun: string): ToolDefinition {
  return {
    name: `update_${noun}`,
    description: `Changes the name or the labels of one ${noun}.`,
    effect: 'writes',
    input: z.strictObject({
      id: z.string().min(1).max(200).describe(`Id of the ${noun}, as lists give it.`),
      name: z.string().max(200).optional(),
      labels: z.array(z.string().max(50)).max(20).optional(),
      notify: z.boolean().default(false).describe('Whether subscribers are told.'),
    }),
    output: z.object({ id: z.string(), changed: z.array(z.string()) }),
    run: ({ id, ...changes }) => ({ id, changed: Object.keys(changes) }),
    render: ({ id, changed }) => `${id}: ${(changed as string[]).join(', ')} changed`,
  };
}
