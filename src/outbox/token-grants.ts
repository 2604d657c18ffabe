import { z } from 'zod';
import type { Grant } from '../capability.ts';
import { type ConfiguredPolicy, type SendRule, sendPolicy } from '../domain/policy.ts';
import { OwnPolicy, WhatMayLeave } from '../settings.ts';

/** A token can have its own policy. */
export const policyGrant: Grant<{ policy?: ConfiguredPolicy | undefined; send?: SendRule | undefined }> = {
  description: 'What may leave on its behalf.',
  config: { policy: OwnPolicy },
  options: {
    send: WhatMayLeave.optional().describe('Whether its messages are sent, held for approval, or refused.'),
  },
  fields: { send: WhatMayLeave.optional(), allowed_recipients: z.array(z.string()).optional() },
  read: ({ policy, send }) => ({ policy: policy ? sendPolicy(policy) : send && { send } }),
  show: ({ policy }) => ({ send: policy?.send, allowed_recipients: policy?.allowedRecipients }),
  exceeded: ({ policy }, giver) => (giver.policy === undefined || policy?.send === 'deny' ? undefined : 'send'),
};
