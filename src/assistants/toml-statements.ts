/** One statement of a TOML file with its lines. Values are not parsed. */
export interface Statement {
  kind: 'table' | 'tables' | 'pair' | 'nothing';
  /** For a header its whole name; for a pair its key within the table. */
  path: readonly string[];
  /** With its line ending. */
  text: string;
}

export class NotToml extends Error {
  readonly line: number;

  constructor(line: number) {
    super('not TOML');
    this.line = line;
  }
}

const KEY_PART = /\s*(?:([\w-]+)|"((?:[^"\\]|\\.)*)"|'([^']*)')\s*/y;
/** The tokens of a value that are needed to find its end: strings, comments, brackets, and other text. */
const PIECES =
  /"""(?:[^\\]|\\[\s\S])*?"{3,5}|'''[\s\S]*?'{3,5}|"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|#[^\n]*|[[{]|[\]}]|\n|[^"'#[\]{}\n]+/y;

export function statementsOf(text: string): Statement[] {
  const statements: Statement[] = [];
  let at = 0;
  while (at < text.length) {
    const statement = statementAt(text, at);
    statements.push(statement);
    at += statement.text.length;
  }
  return statements;
}

function statementAt(text: string, start: number): Statement {
  const lineEnd = endOfLine(text, start);
  const line = text.slice(start, lineEnd).replace(/^\uFEFF/, '');
  if (/^\s*(?:#.*)?\s*$/.test(line)) return { kind: 'nothing', path: [], text: text.slice(start, lineEnd) };
  const header = /^\s*(\[\[?)(.*?)(\]\]?)\s*(?:#.*)?\s*$/.exec(line);
  if (header) {
    const [, open = '', name = '', close = ''] = header;
    const path = keyPath(name);
    if (!path || open.length !== close.length) throw notToml(text, start);
    return { kind: open === '[' ? 'table' : 'tables', path: path.keys, text: text.slice(start, lineEnd) };
  }
  return pairAt(text, start);
}

function pairAt(text: string, start: number): Statement {
  const path = keyPath(text, text.startsWith('\uFEFF', start) ? start + 1 : start, '=');
  if (!path) throw notToml(text, start);
  const end = endOfValue(text, path.end);
  return { kind: 'pair', path: path.keys, text: text.slice(start, end) };
}

/** A key with its dots, up to `until` or the end. */
function keyPath(text: string, start = 0, until?: string): { keys: string[]; end: number } | undefined {
  const keys: string[] = [];
  KEY_PART.lastIndex = start;
  for (;;) {
    const found = KEY_PART.exec(text);
    if (!found) return undefined;
    const [, bare, basic, literal] = found;
    keys.push(bare ?? literal ?? unescaped(basic ?? ''));
    const end = start + (KEY_PART.lastIndex - start);
    if (text[end] === '.') KEY_PART.lastIndex = end + 1;
    else return text[end] === until ? { keys, end: end + 1 } : undefined;
  }
}

function unescaped(text: string): string {
  try {
    return JSON.parse(`"${text}"`) as string;
  } catch {
    return text;
  }
}

/** The value ends with its line, unless the line ends inside brackets. */
function endOfValue(text: string, start: number): number {
  let depth = 0;
  PIECES.lastIndex = start;
  for (;;) {
    const at = PIECES.lastIndex;
    if (at >= text.length) {
      if (depth > 0) throw notToml(text, start);
      return text.length;
    }
    const [piece] = PIECES.exec(text) ?? [];
    if (piece === undefined) throw notToml(text, at);
    if (piece === '[' || piece === '{') depth += 1;
    if (piece === ']' || piece === '}') depth -= 1;
    if (depth < 0) throw notToml(text, at);
    if (piece === '\n' && depth === 0) return PIECES.lastIndex;
  }
}

function endOfLine(text: string, start: number): number {
  const end = text.indexOf('\n', start);
  return end === -1 ? text.length : end + 1;
}

function notToml(text: string, position: number): NotToml {
  return new NotToml(text.slice(0, position).split('\n').length);
}
