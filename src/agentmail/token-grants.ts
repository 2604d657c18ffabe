import { z } from 'zod';
import type { Grant } from '../capability.ts';

declare module '../domain/principal.ts' {
  interface TokenFacts {
    /** Its identity in agent mail. */
    readonly agent?: string | undefined;
  }
}

/** A token can be an agent. */
export const agentGrant: Grant<{ agent?: string | undefined }> = {
  description: 'Its identity in agent mail.',
  config: { agent: z.string().optional().describe('Its identity in agent mail.') },
  options: { agent: z.string().min(1).max(128).optional().describe('Its identity in agent mail.') },
  fields: { agent: z.string().optional() },
  read: ({ agent }) => ({ agent }),
  show: ({ agent }) => ({ agent }),
};
