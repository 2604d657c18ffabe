import { z } from 'zod';
import type { Grant } from '../capability.ts';
import { allows } from '../domain/principal.ts';
import { claimsUser } from './user-name.ts';

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
  options: {
    agent: z
      .string()
      .min(1)
      .max(128)
      .refine((name) => !claimsUser(name), "must not be the user's name")
      .optional()
      .describe('Its identity in agent mail.'),
  },
  fields: { agent: z.string().optional() },
  read: ({ agent }) => ({ agent }),
  show: ({ agent }) => ({ agent }),
  // An agent's token reads that agent's mail only; one without an agent reads all of it.
  exceeded: ({ agent }, giver) => (agent === giver.agent || allows(giver, 'agentmail:manage') ? undefined : 'agent'),
};
