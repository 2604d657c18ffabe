import { z } from 'zod';
import { AppError } from '../../domain/errors.ts';
import { type OperationContext, operation } from '../../operation.ts';
import { checkMessage } from '../delivery/check-message.ts';
import type { AgentmailParts } from './parts.ts';
import { textInput, textOf } from './text-input.ts';

export const send = operation({
  mcp: { name: 'send', combined_name: 'agentmail_send', title: 'Send mail to an agent' },
  rest: { method: 'POST', path: '/agentmail/send' },
  kind: 'command',
  effect: 'sends',
  confined: true,
  description: 'Send a message to another agent, by the name of its tmux window. It is on disk when this returns.',
  input: textInput({
    recipient: { description: 'Who gets it: a name from the list of recipients.' },
    message: { description: 'What to say: at most 65,536 bytes of UTF-8.' },
  }),
  output: z.object({
    message_id: z.string(),
    status: z.literal('stored'),
    to: z.string(),
    note: z.string().optional(),
  }),
  async run({ recipient, message: said }, context: OperationContext & AgentmailParts) {
    const to = textOf(recipient, 'recipient');
    const message = textOf(said, 'message');
    checkMessage(message);
    const at = await context.identities.of(context);
    const bearers = at.peers.filter(({ name }) => name === to);
    if (to === at.me.name && bearers.length <= 1) {
      throw new AppError('VALIDATION_ERROR', 'cannot send message to self', { field: 'recipient' });
    }
    const { id, note } = await context.post.send(at, to, message);
    const createdAt = context.clock.now();
    const letter = { repository: at.mailFolders.main, id, from: at.me.name, to, message, createdAt };
    // It is sent, whether or not the answer reaches the sender.
    context.onDelivery(() => context.index.record(letter, 'sent'));
    return { message_id: id, status: 'stored' as const, to, ...(note === undefined ? {} : { note }) };
  },
  render: ({ message_id: id, note }) => `Message #${id} sent${note === undefined ? '' : `\n${note}`}`,
});
