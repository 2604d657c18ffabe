import { z } from 'zod';
import { type OperationContext, operation } from '../../operation.ts';
import type { ClaudeContext } from '../context.ts';
import { ConversationRef } from '../conversation-view.ts';
import { sendMessage as send } from '../turn/send-message.ts';
import { progressOf, textStream } from '../turn/text-stream.ts';
import { renderTurn, TurnOutput } from '../turn/turn-view.ts';

type Context = OperationContext & ClaudeContext;

export const sendMessage = operation({
  mcp: { name: 'conversation_send', title: 'Send a message to Claude' },
  cli: {
    path: 'conversation send',
    positionals: ['conversation_id', 'text'],
    stdin: 'text',
    isStreamed: true,
    examples: ['switchboard conversation send ID "Who waits for an answer of mine?"'],
  },
  rest: { method: 'POST', path: '/conversations/:conversation_id/messages' },
  kind: 'command',
  effect: 'sends',
  // A turn has limits of its own.
  deadlineMs: 24 * 60 * 60_000,
  description: 'Sends a message in a conversation with Claude and returns the answer.',
  input: z.strictObject({
    conversation_id: ConversationRef,
    text: z.string().max(4_000_000).regex(/\S/, 'must say something').describe('The message; not blank.'),
    client_message_id: z.string().max(200).optional().describe('A repeated id sends the message only once.'),
    wait: z.boolean().default(true).describe('Wait for the answer.'),
  }),
  output: TurnOutput,
  run: (input, context: Context) => send(input, context, { onText: progressOf(context.progress) }),
  follow: {
    isWanted: ({ wait }) => wait,
    async *stream(input, context: Context) {
      const { conversation_id: id } = input;
      for await (const next of textStream((onText) => send(input, context, { onText }))) {
        if ('part' in next) yield { conversation_id: id, status: 'running' as const, text: next.part };
        else yield { ...next.result, text: renderTurn({ ...next.result, text: '' }) };
      }
    },
    isOnce: true,
    resume: (input) => input,
  },
  render: renderTurn,
});
