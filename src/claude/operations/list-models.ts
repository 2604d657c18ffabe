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

const asLine = ({ id, name, lifecycle }: z.output<typeof Model>) =>
  `${visible(id)}: ${visible(name)} (${visible(lifecycle)})`;

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
