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
  key: string;
  start: number;
  node: Node;
}

/** The text is not JSON, not even with comments and commas at the end. */
export class NotJson extends Error {
  readonly line: number;

  constructor(text: string, position: number) {
    super('not JSON');
    this.line = text.slice(0, position).split('\n').length;
  }
}

const SPACE = /(?:[\s\uFEFF]|\/\/[^\n]*|\/\*[\s\S]*?\*\/)*/y;
const STRING = /"[^"\\\n]*(?:\\.[^"\\\n]*)*"/y;
const WORD = /[-+.\w]+/y;
const DEEPEST = 500;

/** JSON as people write it into configuration: with comments, and with commas at the end. */
export function parseJsonc(text: string): Node {
  let at = 0;

  function match(pattern: RegExp): string {
    pattern.lastIndex = at;
    const [found = ''] = pattern.exec(text) ?? [];
    at += found.length;
    return found;
  }

  function take(character: string): boolean {
    match(SPACE);
    if (text[at] !== character) return false;
    at += 1;
    return true;
  }

  function literal(pattern: RegExp): Json {
    const start = at;
    try {
      return JSON.parse(match(pattern)) as Json;
    } catch {
      throw new NotJson(text, start);
    }
  }

  function value(depth: number): Node {
    match(SPACE);
    const start = at;
    if (depth > DEEPEST) throw new NotJson(text, at);
    if (take('{')) return object(start, depth);
    if (take('[')) return array(start, depth);
    const found = literal(text[at] === '"' ? STRING : WORD);
    return { start, end: at, value: found };
  }

  function object(start: number, depth: number): Node {
    const members: Member[] = [];
    let endsInComma = false;
    while (!take('}')) {
      if (members.length > 0 && !endsInComma) throw new NotJson(text, at);
      const keyStart = at;
      const key = literal(STRING) as string;
      if (!take(':')) throw new NotJson(text, at);
      members.push({ key, start: keyStart, node: value(depth + 1) });
      endsInComma = take(',');
    }
    // `__proto__` is a key like any other here.
    const entries = members.map(({ key, node }) => [key, node.value] as const);
    return { start, end: at, value: Object.fromEntries(entries), members, endsInComma };
  }

  function array(start: number, depth: number): Node {
    const items: Json[] = [];
    let endsInComma = false;
    while (!take(']')) {
      if (items.length > 0 && !endsInComma) throw new NotJson(text, at);
      items.push(value(depth + 1).value);
      endsInComma = take(',');
    }
    return { start, end: at, value: items };
  }

  const root = value(0);
  match(SPACE);
  if (at < text.length) throw new NotJson(text, at);
  return root;
}
