import type { ContentBlock, GetPromptResult } from '@modelcontextprotocol/server';
import type { PromptEntry } from '../../src/mcp/registry.ts';
import { questioningPrompt } from './fixture-input-required.ts';
import { PNG } from './fixture-samples.ts';

export const fixturePrompts: readonly PromptEntry[] = [
  questioningPrompt,
  {
    definition: {
      name: 'test_prompt_with_arguments',
      description: 'Repeats its arguments.',
      arguments: [
        { name: 'arg1', description: 'First test argument', required: true },
        { name: 'arg2', description: 'Second test argument', required: true },
      ],
    },
    get: async ({ arg1, arg2 }) => asked(text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)),
  },
  {
    definition: {
      name: 'test_prompt_with_embedded_resource',
      description: 'Embeds a resource.',
      arguments: [{ name: 'resourceUri', description: 'URI of the resource to embed', required: true }],
    },
    get: async ({ resourceUri = '' }) =>
      asked(
        {
          type: 'resource',
          resource: { uri: resourceUri, mimeType: 'text/plain', text: 'Embedded resource content for testing.' },
        },
        text('Please process the embedded resource above.'),
      ),
  },
  {
    definition: { name: 'test_prompt_with_image', description: 'Shows an image.' },
    get: async () =>
      asked({ type: 'image', data: PNG, mimeType: 'image/png' }, text('Please analyze the image above.')),
  },
  {
    definition: { name: 'test_simple_prompt', description: 'A prompt without arguments.' },
    get: async () => asked(text('This is a simple prompt for testing.')),
  },
];

function text(words: string): ContentBlock {
  return { type: 'text', text: words };
}

function asked(...content: ContentBlock[]): GetPromptResult {
  return { messages: content.map((block) => ({ role: 'user', content: block })) };
}
