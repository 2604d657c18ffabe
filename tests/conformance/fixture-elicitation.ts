import type { ElicitRequestFormParams, ElicitResult } from '@modelcontextprotocol/server';
import type { ToolEntry } from '../../src/mcp/registry.ts';
import { interactiveTool, said } from './fixture-entry.ts';

type RequestedSchema = ElicitRequestFormParams['requestedSchema'];

/** Tools that send requests to the client while they run, for protocol versions with sessions. */
export const askingTools: readonly ToolEntry[] = [
  interactiveTool(
    'test_sampling',
    "Asks the client's model.",
    async ({ prompt }, { mcpReq }) => {
      const messages = [{ role: 'user' as const, content: { type: 'text' as const, text: String(prompt) } }];
      const { content } = await mcpReq.requestSampling({ messages, maxTokens: 100 });
      const text = !Array.isArray(content) && content.type === 'text' ? content.text : '';
      return said(`LLM response: ${text}`);
    },
    { type: 'object', properties: { prompt: { type: 'string' } }, required: ['prompt'] },
  ),
  interactiveTool(
    'test_elicitation',
    'Asks the user.',
    async ({ message }, { mcpReq }) => {
      const answer = await mcpReq.elicitInput({ message: String(message), requestedSchema: USER });
      return said(`User response: ${described(answer)}`);
    },
    { type: 'object', properties: { message: { type: 'string' } }, required: ['message'] },
  ),
  asking('test_elicitation_sep1034_defaults', 'Please review the defaults', {
    type: 'object',
    properties: {
      name: { type: 'string', default: 'John Doe' },
      age: { type: 'integer', default: 30 },
      score: { type: 'number', default: 95.5 },
      status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
      verified: { type: 'boolean', default: true },
    },
  }),
  asking('test_elicitation_sep1330_enums', 'Please choose', {
    type: 'object',
    properties: {
      untitledSingle: { type: 'string', enum: ['option1', 'option2', 'option3'] },
      titledSingle: { type: 'string', oneOf: titled('Option') },
      legacyEnum: {
        type: 'string',
        enum: ['opt1', 'opt2', 'opt3'],
        enumNames: ['Option One', 'Option Two', 'Option Three'],
      },
      untitledMulti: { type: 'array', items: { type: 'string', enum: ['option1', 'option2', 'option3'] } },
      titledMulti: { type: 'array', items: { anyOf: titled('Choice') } },
    },
  }),
];

const USER: RequestedSchema = {
  type: 'object',
  properties: {
    username: { type: 'string', description: "User's response" },
    email: { type: 'string', description: "User's email address" },
  },
  required: ['username', 'email'],
};

function asking(name: string, message: string, requestedSchema: RequestedSchema): ToolEntry {
  return interactiveTool(name, 'Asks the user.', async (_, { mcpReq }) => {
    const answer = await mcpReq.elicitInput({ message, requestedSchema });
    return said(`Elicitation completed: ${described(answer)}`);
  });
}

function titled(noun: string) {
  return ['First', 'Second', 'Third'].map((ordinal, index) => ({
    const: `value${index + 1}`,
    title: `${ordinal} ${noun}`,
  }));
}

function described({ action, content }: ElicitResult): string {
  return `action=${action}, content=${JSON.stringify(content ?? {})}`;
}
