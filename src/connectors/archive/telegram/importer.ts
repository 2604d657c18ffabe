import type { Importer } from '../importer.ts';
import { wrongFormat } from '../recognise.ts';

export const telegram: Importer = {
  format: 'telegram',
  // biome-ignore lint/correctness/useYield: for now
  async *read({ archive }) {
    throw await wrongFormat(archive, 'telegram');
  },
};
