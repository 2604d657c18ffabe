import type { Body, ModelProtocol } from './protocol.ts';
import type { ModelReply } from './scripted-model.ts';

/** The API of Gemini. */
export const gemini: ModelProtocol = {
  matches: (path) => /:(?:stream)?generateContent$/i.test(path),
  read: ({ tools = [], contents = [] }) => ({
    tools: tools.flatMap((tool: Body) => tool.functionDeclarations ?? []).map((tool: Body) => tool.name),
    results: contents
      .flatMap((content: Body) => content.parts ?? [])
      .filter((part: Body) => part.functionResponse)
      .map((part: Body) => JSON.stringify(part.functionResponse.response)),
  }),
  write(reply, { generationConfig = {} }) {
    const isForm = generationConfig.responseJsonSchema ?? generationConfig.responseSchema;
    const part = isForm ? { text: FORM } : partOf(reply);
    const json = {
      candidates: [{ index: 0, content: { role: 'model', parts: [part] }, finishReason: 'STOP' }],
      usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
      modelVersion: 'gemini',
    };
    return { json, events: [{ data: json }] };
  },
};

/** Gemini CLI asks which model to use, and whether the user is next; it takes what it needs. */
const FORM = JSON.stringify({
  reasoning: 'none',
  next_speaker: 'user',
  model_choice: 'flash',
  complexity_reasoning: 'none',
  complexity_score: 1,
});

function partOf(reply: ModelReply): object {
  if (reply.kind === 'text') return { text: reply.text };
  return { functionCall: { name: reply.tool, args: reply.arguments } };
}
