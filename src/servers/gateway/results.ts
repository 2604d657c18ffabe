import type { Json, JsonObject } from '../../domain/json.ts';
import { isRecord } from '../../lib/is-record.ts';

const PROTOCOL_KEYS = 'io.modelcontextprotocol/';

/** The metadata of a client's request for the next server: what concerns one connection is left out. */
export function forwardedMeta(meta: JsonObject | undefined): { _meta?: JsonObject } {
  if (meta === undefined) return {};
  const kept = Object.entries(meta).filter(([key]) => key !== 'progressToken' && !key.startsWith(PROTOCOL_KEYS));
  return kept.length === 0 ? {} : { _meta: Object.fromEntries(kept) };
}

/** Methods whose results are passed on. */
export type RelayedMethod = 'tools/call' | 'prompts/get' | 'resources/read' | 'completion/complete';

/**
 * A result that clients can read. Servers leave out what the protocol requires, or put something else there; one such block
 * would make a client refuse the whole answer.
 */
export function wellFormed(method: RelayedMethod, { resultType: _, ...result }: JsonObject): JsonObject {
  switch (method) {
    case 'tools/call':
      return { ...result, content: recordsIn(result.content).filter(isBlock) };
    case 'prompts/get':
      return {
        ...result,
        messages: recordsIn(result.messages).filter(
          ({ role, content }) => typeof role === 'string' && isRecord(content) && isBlock(content),
        ),
      };
    case 'resources/read':
      return { ...result, contents: recordsIn(result.contents).filter(isContents) };
    case 'completion/complete':
      return result;
  }
}

/** A block of content whose text, where it must have one, is a text. */
function isBlock({ type, text, resource }: JsonObject): boolean {
  if (type === 'text') return typeof text === 'string';
  if (type === 'resource') return isRecord(resource) && isContents(resource);
  return typeof type === 'string';
}

function isContents({ uri, text = '' }: JsonObject): boolean {
  return typeof uri === 'string' && typeof text === 'string';
}

function recordsIn(value: Json | undefined): JsonObject[] {
  return Array.isArray(value) ? value.filter((one) => isRecord(one)) : [];
}

/** A server's result, marked as its words; metadata of its connection to us is left out. */
export function markedResult(result: JsonObject, server: string, isTrusted: boolean): JsonObject {
  const meta = isRecord(result._meta) ? forwardedMeta(result._meta as JsonObject)._meta : undefined;
  return { ...result, _meta: { ...meta, 'switchboard/server': server, 'switchboard/untrusted': !isTrusted } };
}

/** URIs of resources that a result points to. */
export function linkedResources({ content }: JsonObject): string[] {
  if (!Array.isArray(content)) return [];
  return content.flatMap((block) =>
    isRecord(block) && block.type === 'resource_link' && typeof block.uri === 'string' ? [block.uri] : [],
  );
}
