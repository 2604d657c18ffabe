import { z } from 'zod';
import { type OperationContext, operation } from '../../operation.ts';
import { STATUSES } from '../agent.ts';
import { agentNameIn } from '../letter-text.ts';
import type { AgentmailParts } from './parts.ts';

export const listRecipients = operation({
  mcp: { name: 'list-recipients', combined_name: 'agentmail_list_recipients', title: 'List the agents' },
  rest: { method: 'GET', path: '/agentmail/recipients' },
  kind: 'query',
  effect: 'reads',
  confined: true,
  description: 'List all agents that can receive messages.',
  input: z.strictObject({}),
  output: z.object({
    recipients: z.array(z.object({ name: z.string(), is_current: z.boolean(), status: z.enum(STATUSES).optional() })),
  }),
  async run(_, context: OperationContext & AgentmailParts) {
    const at = await context.identities.of(context);
    const recipients = await context.post.recipients(at);
    return {
      recipients: recipients.map(({ name, isCurrent, status }) => ({
        name,
        is_current: isCurrent,
        ...(status === undefined ? {} : { status }),
      })),
    };
  },
  render({ recipients }) {
    const lines = recipients.map(({ name, is_current }) =>
      is_current ? `${agentNameIn(name)} [you]` : agentNameIn(name),
    );
    const alone = recipients.every(({ is_current }) => is_current);
    return [...lines, ...(alone ? ['No other agent is available.'] : [])].join('\n');
  },
});
