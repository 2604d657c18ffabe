import type { CallToolResult, ContentBlock, GetPromptResult, ReadResourceResult } from '@modelcontextprotocol/server';
import { escapedJson, visibleDeep, visibleText } from '../lib/visible.ts';

const AUDIO_SINCE = '2025-03-26';
const LINKS_SINCE = '2025-06-18';

/**
 * A result that the client's protocol version can carry: older clients reject a whole answer for one unknown type of
 * content. Structured content always has a text block beside it, since clients differ in which of the two they read.
 * A model reads both, so neither has a character that a person would not see, unless the tool is verbatim.
 */
export function fitResult(result: CallToolResult, version: string | undefined, isVerbatim = false): CallToolResult {
  // Another server may leave it out.
  const blocks = Array.isArray(result.content) ? result.content : [];
  const content = blocks.map((block) => (isVerbatim ? carriedBy(block, version) : fitBlock(block, version)));
  if (result.structuredContent === undefined) return { ...result, content };
  const structuredContent = isVerbatim ? result.structuredContent : visibleDeep(result.structuredContent);
  if (!content.some(({ type }) => type === 'text')) {
    content.push({ type: 'text', text: JSON.stringify(structuredContent) });
  }
  return { ...result, content, structuredContent };
}

export function fitPrompt(result: GetPromptResult, version: string | undefined): GetPromptResult {
  return {
    ...result,
    messages: result.messages.map((message) => ({ ...message, content: fitBlock(message.content, version) })),
  };
}

/** JSON is escaped as JSON, so that it is still valid. */
export function fitResource({ contents, ...rest }: ReadResourceResult): ReadResourceResult {
  return {
    ...rest,
    contents: contents.map(visibleContents),
  };
}

function visibleContents<T extends ReadResourceResult['contents'][number]>(content: T): T {
  if (!('text' in content)) return content;
  const { mimeType, text } = content;
  return { ...content, text: mimeType === 'application/json' ? escapedLines(text) : visibleText(text) };
}

function escapedLines(json: string): string {
  return json.split('\n').map(escapedJson).join('\n');
}

function fitBlock(block: ContentBlock, version: string | undefined): ContentBlock {
  return visibleBlock(carriedBy(block, version));
}

function visibleBlock(block: ContentBlock): ContentBlock {
  if (block.type === 'text') return { ...block, text: visibleText(block.text) };
  if (block.type === 'resource') return { ...block, resource: visibleContents(block.resource) };
  return block.type === 'resource_link' ? { ...visibleDeep(block), uri: block.uri } : block;
}

function carriedBy(block: ContentBlock, version: string | undefined): ContentBlock {
  if (version === undefined) return block;
  if (block.type === 'audio' && version < AUDIO_SINCE) {
    return { type: 'text', text: `[audio, ${block.mimeType}: this client's protocol version cannot carry it]` };
  }
  if (block.type === 'resource_link' && version < LINKS_SINCE) {
    return { type: 'text', text: `${block.title ?? block.name}: ${block.uri}` };
  }
  return block;
}
