import { setTimeout as delay } from 'node:timers/promises';
import { MissingRequiredClientCapabilityError, type Tool } from '@modelcontextprotocol/server';
import type { InteractiveTool, PlainTool, ToolEntry } from '../../src/mcp/registry.ts';
import { clientAbilities, fixtureTool, interactiveTool, said } from './fixture-entry.ts';
import { PNG, WAV } from './fixture-samples.ts';

const PAUSE_MS = 50;

/** Called when a tool reports that a list has changed. */
export type TouchList = (list: 'tools' | 'prompts') => void;

/** Tools that send no request to the client: content of every kind, logs, progress, errors. */
export function plainTools(touchList: TouchList): ToolEntry[] {
  return [
    fixtureTool('test_simple_text', 'Answers with text.', async () =>
      said('This is a simple text response for testing.'),
    ),
    fixtureTool('test_image_content', 'Answers with an image.', async () => ({ content: [image] })),
    fixtureTool('test_audio_content', 'Answers with sound.', async () => ({
      content: [{ type: 'audio', data: WAV, mimeType: 'audio/wav' }],
    })),
    fixtureTool('test_embedded_resource', 'Answers with a resource.', async () => ({
      content: [
        {
          type: 'resource',
          resource: {
            uri: 'test://embedded-resource',
            mimeType: 'text/plain',
            text: 'This is an embedded resource content.',
          },
        },
      ],
    })),
    fixtureTool('test_multiple_content_types', 'Answers with text, an image and a resource.', async () => ({
      content: [{ type: 'text', text: 'Multiple content types test:' }, image, mixedResource],
    })),
    interactiveTool('test_tool_with_logging', 'Logs while it runs.', withLogging),
    interactiveTool('test_logging_tool', 'Logs once.', async (_, { mcpReq }) => {
      await mcpReq.log('info', 'A log message');
      return said('Logged.');
    }),
    fixtureTool('test_tool_with_progress', 'Reports progress while it runs.', withProgress),
    fixtureTool('test_error_handling', 'Always fails.', async () => ({
      isError: true,
      ...said('This tool intentionally returns an error for testing'),
    })),
    interactiveTool('test_missing_capability', 'Needs sampling.', async (_, context) => {
      if (clientAbilities(context).sampling) return said('The client can sample.');
      throw new MissingRequiredClientCapabilityError({ requiredCapabilities: { sampling: {} } });
    }),
    fixtureTool('test_trigger_tool_change', 'Says that the tools have changed.', async () => {
      touchList('tools');
      return said('Changed.');
    }),
    fixtureTool('test_trigger_prompt_change', 'Says that the prompts have changed.', async () => {
      touchList('prompts');
      return said('Changed.');
    }),
    fixtureTool(
      'test_x_mcp_header',
      'Takes an argument that a header mirrors.',
      async ({ region }) => said(`${region}`),
      {
        type: 'object',
        properties: { region: { type: 'string', 'x-mcp-header': 'Region' } },
        required: ['region'],
      },
    ),
    fixtureTool(
      'json_schema_2020_12_tool',
      'Tool with JSON Schema 2020-12 features',
      async () => said('Fits.'),
      RICH_SCHEMA,
    ),
  ];
}

const image = { type: 'image', data: PNG, mimeType: 'image/png' } as const;

const mixedResource = {
  type: 'resource',
  resource: {
    uri: 'test://mixed-content-resource',
    mimeType: 'application/json',
    text: JSON.stringify({ test: 'data', value: 123 }),
  },
} as const;

const withLogging: InteractiveTool['call'] = async (_, { mcpReq }) => {
  await mcpReq.log('info', 'Tool execution started');
  await delay(PAUSE_MS);
  await mcpReq.log('info', 'Tool processing data');
  await delay(PAUSE_MS);
  await mcpReq.log('info', 'Tool execution completed');
  return said('Tool with logging executed successfully');
};

const withProgress: PlainTool['call'] = async (_, { mcpReq }) => {
  const progressToken = mcpReq._meta?.progressToken;
  for (const progress of [0, 50, 100]) {
    if (progress > 0) await delay(PAUSE_MS);
    if (progressToken === undefined) continue;
    await mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress, total: 100 } });
  }
  return said('Tool with progress executed successfully');
};

const RICH_SCHEMA: Tool['inputSchema'] = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  $defs: {
    address: {
      $anchor: 'addressDef',
      type: 'object',
      properties: { street: { type: 'string' }, city: { type: 'string' } },
    },
  },
  properties: {
    name: { type: 'string' },
    address: { $ref: '#/$defs/address' },
    contactMethod: { type: 'string', enum: ['phone', 'email'] },
    phone: { type: 'string' },
    email: { type: 'string' },
  },
  allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
  if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: { required: ['phone'] },
  else: { required: ['email'] },
  additionalProperties: false,
};
