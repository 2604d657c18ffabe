import type { Probe } from '../../../../src/capability.ts';
import { ok } from '../../../../src/domain/finding.ts';
import type { NotesSettings } from './settings.ts';

export const probes: readonly Probe<NotesSettings>[] = [
  {
    check: 'notes',
    examine: async ({ settings }) => [ok('notes', `Notes are kept for ${settings?.notes.keep_days} days.`)],
  },
];
