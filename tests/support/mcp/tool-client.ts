import assert from 'node:assert/strict';
import type { JsonObject } from '../../../src/domain/json.ts';
import type { Message } from './rpc-message.ts';

export interface ToolError {
  code: string;
  message: string;
  field?: string;
  hint?: string;
}

/** Calls of tools, as a model makes them. */
export function toolClient(call: (method: string, params?: object) => Promise<Message>) {
  async function answer(name: string, input: object): Promise<JsonObject> {
    const { result, error } = await call('tools/call', { name, arguments: input });
    assert.ok(result, JSON.stringify(error));
    return result;
  }

  return {
    async call(name: string, input: object = {}): Promise<JsonObject> {
      const { isError, structuredContent } = await answer(name, input);
      assert.notEqual(isError, true, JSON.stringify(structuredContent));
      return structuredContent as JsonObject;
    },
    async refusal(name: string, input: object = {}): Promise<ToolError> {
      const { isError, structuredContent } = await answer(name, input);
      assert.equal(isError, true, JSON.stringify(structuredContent));
      return (structuredContent as { error: object }).error as ToolError;
    },
    /** What the model reads. */
    async text(name: string, input: object = {}): Promise<string> {
      const { content } = await answer(name, input);
      return (content as { text: string }[]).map(({ text }) => text).join('\n');
    },
  };
}

export type ToolClient = ReturnType<typeof toolClient>;
