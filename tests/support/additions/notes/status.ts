import { z } from 'zod';
import type { StatusEntry } from '../../../../src/capability.ts';
import type { NoteStore } from './ports.ts';

export const notesStatus: StatusEntry<number, { notes: NoteStore }> = {
  key: 'notes',
  description: 'How many notes there are.',
  schema: z.int(),
  read: async ({ notes }) => (await notes.list()).length,
  line: (count) => `Notes: ${count}.`,
};
