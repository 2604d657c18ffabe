import type { CallToolResult, ContentBlock, GetPromptResult } from '@modelcontextprotocol/server';

const AUDIO_SINCE = '2025-03-26';
const LINKS_SINCE = '2025-06-18';

/**
 * A result that the client's protocol version can carry: older clients reject a whole answer for one unknown type of
 * content. Structured content always has a text block beside it, since clients differ in which of the two they read.
 */
export function fitResult(result: CallToolResult, version: string | undefined): CallToolResult {
  const content = result.content.map((block) => fitBlock(block, version));
  if (result.structuredContent !== undefined && !content.some(({ type }) => type === 'text')) {
    content.push({ type: 'text', text: JSON.stringify(result.structuredContent) });
  }
  return { ...result, content };
}

export function fitPrompt(result: GetPromptResult, version: string | undefined): GetPromptResult {
  return {
    ...result,
    messages: result.messages.map((message) => ({ ...message, content: fitBlock(message.content, version) })),
  };
}

function fitBlock(block: ContentBlock, version: string | undefined): ContentBlock {
  if (version === undefined) return block;
  if (block.type === 'audio' && version < AUDIO_SINCE) {
    return { type: 'text', text: `[audio, ${block.mimeType}: this client's protocol version cannot carry it]` };
  }
  if (block.type === 'resource_link' && version < LINKS_SINCE) {
    return { type: 'text', text: `${block.title ?? block.name}: ${block.uri}` };
  }
  return block;
}
