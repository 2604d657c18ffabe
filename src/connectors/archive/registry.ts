import type { ArchiveFormat } from '../../domain/archive.ts';
import type { Importer } from './importer.ts';

/** Loaded on demand: an import needs only one format. */
const IMPORTERS: Record<ArchiveFormat, () => Promise<Importer>> = {
  telegram: async () => (await import('./telegram/importer.ts')).telegram,
  whatsapp: async () => (await import('./whatsapp/importer.ts')).whatsapp,
  slack: async () => (await import('./slack/importer.ts')).slack,
  discord: async () => (await import('./discord/importer.ts')).discord,
  irc: async () => (await import('./irc/importer.ts')).irc,
  mbox: async () => (await import('./mbox/importer.ts')).mbox,
};

export function importerOf(format: ArchiveFormat): Promise<Importer> {
  return IMPORTERS[format]();
}
