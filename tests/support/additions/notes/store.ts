import type { StoreDefinition } from '../../../../src/storage/definition.ts';
import { sql as notes } from './migrations/0001-notes.ts';
import type { NoteStore } from './ports.ts';

export const notesStore: StoreDefinition<NoteStore> = {
  migrations: [{ number: 1, name: 'notes', sql: notes }],
  openers: { sqlite: () => import('../storage/sqlite/notes/store.ts') },
};
