import { defineCapability } from '../../../../src/capability.ts';
import { opensLate } from '../../../../src/lib/once.ts';
import { addNote } from './operations/add-note.ts';
import { listNotes } from './operations/list-notes.ts';
import type { NoteStore } from './ports.ts';
import type { NotesSettings } from './settings.ts';
import { notesStatus } from './status.ts';
import { notesStore } from './store.ts';
import { notebookGrant } from './token-grants.ts';

const DAY = 24 * 60 * 60 * 1000;

/** A fictional capability that declares everything a capability can. */
export const notes = defineCapability<NoteStore, NotesSettings>({
  name: 'notes',
  invalidInput: 'VALIDATION_ERROR',
  config: () => import('./settings.ts'),
  probes: async () => (await import('./probes.ts')).probes,
  store: notesStore,
  open({ store, settings, clock }) {
    const opened = opensLate<NoteStore>(store);
    return {
      operations: [addNote, listNotes],
      parts: { notes: opened, clock },
      grants: [notebookGrant],
      status: notesStatus,
      keepsDaemonAlive: () => false,
      retention: [
        {
          what: 'notes',
          forget: async (now) => opened.deleteBefore(now - (await settings()).notes.keep_days * DAY),
        },
      ],
    };
  },
});
