import { z } from 'zod';
import type { Grant } from '../../../../src/capability.ts';

declare module '../../../../src/domain/principal.ts' {
  interface TokenFacts {
    readonly notebook?: string | undefined;
  }
}

const notebook = z.string().optional().describe('The only notebook it may use.');

export const notebookGrant: Grant<{ notebook?: string | undefined }> = {
  description: 'The notebook that it is confined to.',
  config: { notebook },
  options: { notebook },
  fields: { notebook },
  read: (given) => ({ notebook: given.notebook }),
  show: (facts) => ({ notebook: facts.notebook }),
};
