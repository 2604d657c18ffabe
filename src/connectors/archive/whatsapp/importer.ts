import type { Importer } from '../importer.ts';
import { wrongFormat } from '../recognise.ts';

export const whatsapp: Importer = {
  format: 'whatsapp',
  // biome-ignore lint/correctness/useYield: for now
  async *read({ archive }) {
    throw await wrongFormat(archive, 'whatsapp');
  },
};
