import type { ModelReply, ModelRequest } from './scripted-model.ts';

/** How one kind of program speaks to its model. */
export interface ModelProtocol {
  /** Whether a request of this path is of this protocol. */
  matches(path: string): boolean;
  read(body: Body): ModelRequest;
  /** The whole answer, or its events for a stream. */
  write(reply: ModelReply, body: Body): { json: object; events: readonly ServerEvent[] };
}

// biome-ignore lint/suspicious/noExplicitAny: requests of programs that we do not control, of which a few fields are read
export type Body = any;

export interface ServerEvent {
  event?: string;
  data: object | string;
}

/** The text of a content that is a string or a list of parts. */
export function textOf(content: Body): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return content === undefined || content === null ? '' : JSON.stringify(content);
  return content.map((part) => (typeof part?.text === 'string' ? part.text : JSON.stringify(part))).join('\n');
}
