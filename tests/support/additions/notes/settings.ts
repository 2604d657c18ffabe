import { z } from 'zod';
import type { ConfigDeclaration } from '../../../../src/capability.ts';

const Notes = z.strictObject({ keep_days: z.int().min(1).default(7).describe('How long notes are kept.') });

export interface NotesSettings {
  notes: z.output<typeof Notes>;
}

export const config: ConfigDeclaration = {
  sections: { notes: { schema: Notes.prefault({}).describe('Notes.') } },
};
