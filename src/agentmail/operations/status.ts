import { z } from 'zod';
import { AppError } from '../../domain/errors.ts';
import { type OperationContext, operation } from '../../operation.ts';
import { type AgentStatus, STATUSES } from '../agent.ts';
import type { AgentmailParts } from './parts.ts';
import { textInput } from './text-input.ts';

const LONGEST_SHOWN = 200;

export const status = operation({
  mcp: { name: 'status', combined_name: 'agentmail_status', title: 'Set your availability' },
  rest: { method: 'PUT', path: '/agentmail/status' },
  kind: 'command',
  effect: 'writes',
  confined: true,
  idempotent: true,
  description: "Set your agent's availability: ready is notified of new mail, work and offline are not.",
  input: textInput({ status: { description: 'New status.', enum: STATUSES } }),
  output: z.object({ status: z.enum(STATUSES) }),
  async run({ status: wanted }, context: OperationContext & AgentmailParts) {
    const chosen = STATUSES.find((one) => one === wanted) ?? refuse(wanted);
    const at = await context.identities.of(context);
    await context.post.setStatus(at, chosen);
    return { status: chosen };
  },
  render: ({ status: chosen }) => `Status set to ${chosen}`,
});

function refuse(value: unknown): AgentStatus {
  const message = `Invalid status: ${shown(value)}. Valid: ${STATUSES.join(', ')}`;
  throw new AppError('VALIDATION_ERROR', message, { field: 'status' });
}

function shown(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value ?? '').replace(/^""$/, '');
  return text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN)}…` : text;
}
