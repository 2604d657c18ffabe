import { z } from 'zod';
import type { ConfigDeclaration } from '../capability.ts';
import { recipients, WhatMayLeave } from '../settings.ts';

const Policy = z.strictObject({
  send: WhatMayLeave.default('allow').describe('Whether messages are sent, held for approval, or refused.'),
  allowed_recipients: recipients(),
  ask_in_client: z
    .boolean()
    .default(false)
    .describe(
      'Whether an MCP client that can ask its user (elicitation) may approve a held message. A client may answer without asking.',
    ),
  keep_sent_days: z
    .int()
    .min(1)
    .max(36_500)
    .default(30)
    .describe('Days to keep the content of sent, failed and discarded outbox items.'),
});

/** Its section of the configuration. */
export interface OutboxSettings {
  policy: z.output<typeof Policy>;
}

export const config: ConfigDeclaration = {
  sections: { policy: { schema: Policy.prefault({}).describe('Policy for outgoing messages.') } },
};
