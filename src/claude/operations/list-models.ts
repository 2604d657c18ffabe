import { z } from 'zod';
import { visible } from '../../lib/visible.ts';
import { type OperationContext, operation } from '../../operation.ts';
import type { ClaudeContext } from '../context.ts';

const Model = z.object({
  id: z.string(),
  name: z.string(),
  line: z.string().optional(),
  lifecycle: z.string(),
  max_input_tokens: z.int().optional(),
  max_tokens: z.int().optional(),
  retires_at: z.string().optional(),
});

function asLine(model: z.output<typeof Model>): string {
  const { id, name, lifecycle, line, max_input_tokens: input, max_tokens: output, retires_at: retiresAt } = model;
  const facts = [
    visible(lifecycle),
    ...(line === undefined ? [] : [`line ${visible(line)}`]),
    ...(input === undefined ? [] : [`at most ${input} input tokens`]),
    ...(output === undefined ? [] : [`at most ${output} output tokens`]),
    ...(retiresAt === undefined ? [] : [`retires at ${visible(retiresAt)}`]),
  ];
  return `${visible(id)}: ${visible(name)} (${facts.join(', ')})`;
}

export const listModels = operation({
  mcp: { name: 'claude_models', title: 'Models of Claude' },
  cli: {
    path: 'claude models',
    list: {
      key: 'models',
      columns: ['id', 'name', 'lifecycle', 'max_input_tokens', 'max_tokens', 'retires_at'],
      line: asLine,
    },
  },
  rest: { method: 'GET', path: '/claude/models' },
  kind: 'query',
  effect: 'reads',
  description: 'Lists the models of Claude.',
  input: z.strictObject({}),
  output: z.object({ models: z.array(Model) }),
  async run(_, { models, signal }: OperationContext & ClaudeContext) {
    const listed = await models.list(signal);
    return {
      models: listed.map(({ id, name, line, lifecycle, maxInputTokens, maxOutputTokens, retiresAt }) => ({
        id,
        name,
        ...(line === undefined ? {} : { line }),
        lifecycle,
        ...(maxInputTokens === undefined ? {} : { max_input_tokens: maxInputTokens }),
        ...(maxOutputTokens === undefined ? {} : { max_tokens: maxOutputTokens }),
        ...(retiresAt === undefined ? {} : { retires_at: retiresAt }),
      })),
    };
  },
  render: ({ models }) => models.map(asLine).join('\n') || 'The API lists no model.',
});
