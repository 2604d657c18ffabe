import { z } from 'zod';
import type { ConfigDeclaration } from '../capability.ts';
import { recipients, WhatMayLeave } from '../settings.ts';

const Policy = z.strictObject({
  send: WhatMayLeave.default('allow').describe('`hold` waits for a person’s approval.'),
  allowed_recipients: recipients(),
  keep_sent_days: z
    .int()
    .min(1)
    .max(36_500)
    .default(30)
    .describe('How long the outbox keeps the words of what was sent, failed or was discarded.'),
});

/** Its section of the configuration. */
export interface OutboxSettings {
  policy: z.output<typeof Policy>;
}

export const config: ConfigDeclaration = {
  sections: { policy: { schema: Policy.prefault({}).describe('What may leave: email and chat messages.') } },
};
