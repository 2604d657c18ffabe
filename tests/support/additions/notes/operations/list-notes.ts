import { z } from 'zod';
import { operation } from '../../../../../src/operation.ts';
import type { NoteStore } from '../ports.ts';

export const listNotes = operation({
  mcp: { name: 'list_notes' },
  cli: { path: 'notes list' },
  rest: { method: 'GET', path: '/notes' },
  kind: 'query',
  effect: 'reads',
  description: 'All notes, newest first.',
  input: z.strictObject({}),
  output: z.object({ notes: z.array(z.object({ text: z.string(), at: z.string() })) }),
  async run(_, { notes }: { notes: NoteStore }) {
    return { notes: (await notes.list()).map(({ text, at }) => ({ text, at: new Date(at).toISOString() })) };
  },
});
