import type { ArchiveFormat } from '../../domain/archive.ts';
import type { Importer } from './importer.ts';

/** Loaded when it is asked for: nobody imports six formats at once. */
const IMPORTERS: Partial<Record<ArchiveFormat, () => Promise<Importer>>> = {
  telegram: async () => (await import('./telegram/importer.ts')).telegram,
  whatsapp: async () => (await import('./whatsapp/importer.ts')).whatsapp,
};

export async function importerOf(format: ArchiveFormat): Promise<Importer> {
  const load = IMPORTERS[format];
  if (!load) throw new Error(`No importer reads ${format}.`);
  return load();
}
