import { z } from 'zod';
import { operation } from '../../../src/operation.ts';

/** Small operations of each kind that a command can have. */
export const addNote = operation({
  cli: {
    path: 'notes add',
    positionals: ['title'],
    stdin: 'body',
    examples: ['echo text | switchboard notes add Groceries'],
  },
  kind: 'command',
  effect: 'writes',
  description: 'Writes a note. The text of it comes from standard input.',
  input: z.strictObject({
    title: z.string().describe('What it is called.'),
    body: z.string().describe('What it says.'),
    tags: z.array(z.string()).default([]).describe('Words to find it by.'),
    colour: z.enum(['red', 'blue']).optional(),
    pinned: z.boolean().default(true).describe('Keep it on top.'),
  }),
  output: z.object({ id: z.string(), title: z.string(), body: z.string(), tags: z.array(z.string()) }),
  run: async ({ title, body, tags }) => ({ id: 'n1', title, body, tags }),
});

export const listNotes = operation({
  cli: { path: 'notes list' },
  kind: 'query',
  effect: 'reads',
  description: 'The notes, newest first.',
  input: z.strictObject({ limit: z.int().min(1).max(50).default(10).describe('How many at most.') }),
  output: z.object({
    notes: z.array(z.object({ id: z.string(), title: z.string(), note: z.string().optional(), pinned: z.boolean() })),
    next_cursor: z.string().optional(),
  }),
  run: async ({ limit }) => ({
    notes: [
      { id: 'n1', title: 'Groceries', pinned: true },
      { id: 'n2', title: 'Evil\n\x1b[2Jn3  forged', pinned: false },
    ].slice(0, limit),
    ...(limit < 2 ? { next_cursor: 'n1' } : {}),
  }),
  render: () => 'words for a model',
});

export const countNotes = operation({
  cli: { path: 'notes count' },
  kind: 'query',
  effect: 'reads',
  description: 'How many notes there are.',
  input: z.strictObject({}),
  output: z.object({ count: z.int() }),
  run: async () => ({ count: 2 }),
  render: ({ count }) => `There are ${count} notes.\x07`,
});
