import { z } from 'zod';
import { textBlock, textOf } from '../../domain/conversation-message.ts';
import { costOf } from '../../domain/token-usage.ts';
import { type OperationContext, operation } from '../../operation.ts';
import { EFFORTS } from '../api/request.ts';
import type { ClaudeContext } from '../context.ts';
import { rounded, toUsageView, UsageView } from '../conversation-view.ts';
import { DEFAULT_MODEL } from '../models.ts';
import { priceOf } from '../turn/limits.ts';
import { progressOf, textStream } from '../turn/text-stream.ts';

const MAX_LENGTH = 4_000_000;

const Input = z.strictObject({
  message: z.string().min(1).max(MAX_LENGTH).describe('The question.'),
  input: z.string().max(MAX_LENGTH).optional().describe('Text that the question is about.'),
  system_prompt: z.string().max(100_000).optional().describe('Instructions for Claude.'),
  model: z.string().min(1).max(200).optional().describe('Id of a model, or opus, sonnet, haiku, fable.'),
  max_tokens: z.int().min(1).max(1_000_000).optional().describe('Maximum length of the answer, in tokens.'),
  effort: z.enum(EFFORTS).optional().describe('How much Claude thinks.'),
});

type Context = OperationContext & ClaudeContext;

export const askClaude = operation({
  mcp: { name: 'ask_claude', title: 'Ask Claude', aliases: ['claude_conversation'] },
  cli: {
    path: 'ask',
    positionals: ['message'],
    stdin: 'input',
    piped: true,
    isStreamed: true,
    examples: ['switchboard ask "What is a switchboard?"', 'git diff | switchboard ask "Review this change."'],
  },
  rest: { method: 'POST', path: '/claude/ask' },
  kind: 'command',
  effect: 'sends',
  // The client of the API has a limit of its own for every attempt.
  deadlineMs: 60 * 60_000,
  description: 'Asks Claude one question, without history and tools.',
  input: Input,
  output: z.object({
    text: z.string(),
    model: z.string(),
    stop_reason: z.string().optional(),
    usage: UsageView.optional(),
    cost_usd: z.number().optional(),
  }),
  run: (input, context: Context) => ask(input, context, progressOf(context.progress)),
  follow: {
    isWanted: () => true,
    async *stream(input, context: Context) {
      for await (const next of textStream((onText) => ask(input, context, onText))) {
        yield 'part' in next ? { text: next.part, model: '' } : { ...next.result, text: '' };
      }
    },
    isOnce: true,
    resume: (input) => input,
  },
  render: ({ text }) => text,
});

async function ask(request: z.output<typeof Input>, context: Context, onText: (part: string) => void) {
  const { signal } = context;
  const { claude: section } = await context.settings();
  const api = await context.api();
  const model = await context.models.resolve(request.model ?? section.model ?? DEFAULT_MODEL, signal);
  const content = [request.input, request.message].flatMap((text) => (text ? [textBlock(text)] : []));
  const reply = await api.ask(
    {
      model,
      maxTokens: request.max_tokens ?? section.max_tokens,
      system: request.system_prompt,
      effort: request.effort,
      messages: [{ role: 'user', content }],
    },
    { signal, onText },
  );
  const cost = costOf(reply.usage, priceOf(model, section));
  return {
    text: textOf(reply),
    model: reply.model,
    stop_reason: reply.stopReason,
    usage: toUsageView(reply.usage),
    ...(cost === undefined ? {} : { cost_usd: rounded(cost) }),
  };
}
