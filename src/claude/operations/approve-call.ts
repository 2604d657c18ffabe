import { z } from 'zod';
import type { Conversation } from '../../domain/conversation.ts';
import { AppError } from '../../domain/errors.ts';
import { mayDecide } from '../../domain/may-decide.ts';
import { WHERE_THE_USER_IS } from '../../domain/principal.ts';
import { type OperationContext, operation } from '../../operation.ts';
import { changeConversation } from '../change-conversation.ts';
import type { ClaudeContext } from '../context.ts';
import { ConversationRef } from '../conversation-view.ts';
import { answer } from '../turn/send-message.ts';
import { progressOf } from '../turn/text-stream.ts';
import { renderTurn, TurnOutput, turnView } from '../turn/turn-view.ts';

type Context = OperationContext & ClaudeContext;

/** For the person. Tools of a conversation never include it, and an agent cannot approve what its conversation does. */
export const approveCall = operation({
  mcp: { name: 'conversation_approve', title: 'Approve a call of Claude', right: 'manage' },
  cli: {
    path: 'conversation approve',
    positionals: ['conversation_id', 'call_id'],
    examples: ['switchboard conversation approve ID', 'switchboard conversation approve ID --decision deny'],
  },
  rest: { method: 'POST', path: '/conversations/:conversation_id/approve' },
  kind: 'command',
  effect: 'sends',
  right: 'manage',
  deadlineMs: 24 * 60 * 60_000,
  description: 'For the person: approves or denies a call that waits in a conversation; then Claude goes on.',
  input: z.strictObject({
    conversation_id: ConversationRef,
    call_id: z.string().max(200).optional().describe('The call; default: all that wait.'),
    decision: z.enum(['approve', 'deny']).default('approve').describe('The decision.'),
    reason: z.string().max(2_000).optional().describe('Told to Claude with a denial.'),
    wait: z.boolean().default(true).describe('Wait for the answer.'),
  }),
  output: TurnOutput,
  async run(input, context: Context) {
    const { conversations, clock, principal } = context;
    const before = await conversations.get(input.conversation_id);
    await checkMayApprove(before, context);
    const { id } = before;
    let after = before;
    for (const call of input.call_id === undefined ? waitingIn(before) : [input.call_id]) {
      after = await changeConversation(conversations, id, {
        kind: 'decide-call',
        call,
        decision: input.decision === 'approve' ? 'approved' : 'denied',
        by: principal.name,
        reason: input.reason,
        at: clock.now(),
      });
    }
    const began = after.messageCount;
    if (after.turn.state !== 'running') return turnView(context, id, began);
    return answer(after, began, input.wait, context, { onText: progressOf(context.progress) });
  },
  render: renderTurn,
});

function waitingIn({ turn }: Conversation): readonly string[] {
  const calls = turn.state === 'awaiting_approval' ? turn.calls.filter(({ decision }) => !decision) : [];
  if (calls.length > 0) return calls.map(({ id }) => id);
  throw new AppError('CONFLICT', 'No call waits for approval in this conversation.', { field: 'conversation_id' });
}

async function checkMayApprove({ owner, answersTo }: Conversation, context: Context): Promise<void> {
  const decider = { ...context, isAgentsDoor: context.door === 'mcp' };
  const decision = await mayDecide({ principal: owner, identity: answersTo }, decider);
  if (decision === 'yes') return;
  throw new AppError(
    'FORBIDDEN',
    decision === 'own'
      ? `The conversation belongs to ${context.principal.name}, which cannot approve what it does.`
      : 'Only the person approves what Claude does, from a terminal that is not an agent’s.',
    { hint: `Ask your user, who runs \`switchboard conversation approve ID\` ${WHERE_THE_USER_IS}.` },
  );
}
