import { type Node as LibraryNode, type ParseError, parseTree } from 'jsonc-parser';
import type { Json } from '../domain/json.ts';

/** A value with its range in the text, so that a change leaves everything else as it was typed. */
export interface Node {
  start: number;
  end: number;
  value: Json;
  /** Only of objects, in the order of the text. */
  members?: readonly Member[];
  /** There is a comma after the last member. */
  endsInComma?: boolean;
}

interface Member {
  /** Where its key starts. */
  start: number;
  key: string;
  node: Node;
}

/** The text is not JSON, not even with comments and trailing commas. */
export class NotJson extends Error {
  readonly line: number;

  constructor(text: string, position: number) {
    super('not JSON');
    this.line = text.slice(0, position).split('\n').length;
  }
}

/** JSON as in configuration files: with comments, and with trailing commas. */
export function parseJsonc(text: string): Node {
  const errors: ParseError[] = [];
  try {
    // A byte order mark is no white space for the library.
    const root = parseTree(text.replace(/^\uFEFF/, ' '), errors, { allowTrailingComma: true });
    const [error] = errors;
    if (!root || error) throw new NotJson(text, error?.offset ?? 0);
    return toNode(root, text);
  } catch (thrown) {
    // Nested deeper than the stack is.
    throw thrown instanceof RangeError ? new NotJson(text, 0) : thrown;
  }
}

function toNode(node: LibraryNode, text: string): Node {
  const { offset: start, length, children = [] } = node;
  const end = start + length;
  if (node.type === 'array') return { start, end, value: children.map((child) => toNode(child, text).value) };
  if (node.type !== 'object') return { start, end, value: node.value as Json };
  const members = children.flatMap(({ children: [key, value] = [] }) =>
    key && value ? [{ start: key.offset, key: String(key.value), node: toNode(value, text) }] : [],
  );
  // `__proto__` is a key like any other here.
  const value = Object.fromEntries(members.map((member) => [member.key, member.node.value]));
  const last = members.at(-1);
  return { start, end, value, members, endsInComma: last !== undefined && commaAfter(text, last.node.end) !== -1 };
}

const SPACE = /(?:\s|\/\/[^\n]*|\/\*[\s\S]*?\*\/)*/y;

/** The position of the comma that follows after spaces and comments only; -1 where there is none. */
export function commaAfter(text: string, from: number): number {
  SPACE.lastIndex = from;
  SPACE.exec(text);
  return text[SPACE.lastIndex] === ',' ? SPACE.lastIndex : -1;
}
