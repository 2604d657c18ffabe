import { z } from 'zod';
import type { Clock } from '../../../../../src/lib/clock.ts';
import { operation } from '../../../../../src/operation.ts';
import type { NoteStore } from '../ports.ts';

export const addNote = operation({
  mcp: { name: 'add_note' },
  cli: { path: 'notes add', positionals: ['text'] },
  rest: { method: 'POST', path: '/notes' },
  kind: 'command',
  effect: 'writes',
  description: 'Adds a note.',
  input: z.strictObject({ text: z.string().min(1).max(1_000).describe('The note.') }),
  output: z.object({ text: z.string() }),
  async run({ text }, { notes, clock }: { notes: NoteStore; clock: Clock }) {
    await notes.add({ text, at: clock.now() });
    return { text };
  },
});
