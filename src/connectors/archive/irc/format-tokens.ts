import { AppError } from '../../../domain/errors.ts';
import { closest } from '../../../lib/did-you-mean.ts';

const FIELDS = ['date', 'time', 'unixtime', 'nick', 'text', 'action', 'channel', 'any'] as const;
export type FormatField = (typeof FIELDS)[number];

export type FormatToken =
  | { kind: 'literal'; text: string /** A text follows, whose own spaces are kept. */; isBeforeText: boolean }
  | { kind: 'field'; name: FormatField /** Where it is in the pattern, from 1. */; place: number };

const MAX_LENGTH = 300;
const ESCAPED: Readonly<Record<string, string>> = { t: '\t', '\\': '\\', '{': '{', '}': '}' };
/** They end where the next part of the line begins; the others are recognized by how they are written. */
const OPEN_ENDED: ReadonlySet<FormatField> = new Set(['nick', 'channel', 'any']);
const HINT = `Fields are ${FIELDS.map((name) => `{${name}}`).join(', ')}; \\t is a tab. Example: --format '{date} {time} <{nick}> {text}'`;

/** The parts of a pattern. Throws an AppError that names the place of a mistake. */
export function parseFormat(pattern: string): readonly FormatToken[] {
  if (pattern.length > MAX_LENGTH) throw wrong(`it is longer than ${MAX_LENGTH} characters.`);
  const tokens = withTextsMarked(split(pattern));
  check(tokens);
  return tokens;
}

/**
 * The index after a literal that begins here; undefined if there is another text. A space stands for any number of
 * them, except before a text.
 */
export function literalAt(
  { text, isBeforeText }: FormatToken & { kind: 'literal' },
  line: string,
  start: number,
): number | undefined {
  let at = start;
  for (let index = 0; index < text.length; index++) {
    if (line[at] !== text[index]) return undefined;
    at += 1;
    const isExact = isBeforeText && index === text.length - 1;
    if (text[index] === ' ' && !isExact) while (line[at] === ' ' && text[index + 1] !== ' ') at += 1;
  }
  return at;
}

function split(pattern: string): FormatToken[] {
  const tokens: FormatToken[] = [];
  let literal = '';
  const endLiteral = () => {
    if (literal !== '') tokens.push({ kind: 'literal', text: literal, isBeforeText: false });
    literal = '';
  };
  for (let at = 0; at < pattern.length; at++) {
    const character = pattern[at] ?? '';
    if (character === '\\') {
      at += 1;
      const escaped = ESCAPED[pattern[at] ?? ''];
      if (escaped === undefined) throw wrong('\\ stands before t, {, } or another \\ only.', at);
      literal += escaped;
    } else if (character === '{') {
      endLiteral();
      const end = pattern.indexOf('}', at);
      if (end === -1) throw wrong('{ is not closed by }.', at + 1);
      tokens.push({ kind: 'field', name: fieldNamed(pattern.slice(at + 1, end), at + 1), place: at + 1 });
      at = end;
    } else if (character === '}') throw wrong('} closes no {.', at + 1);
    else if (character < ' ' && character !== '\t') throw wrong('a control character is in no log.', at + 1);
    else literal += character;
  }
  endLiteral();
  return tokens;
}

function withTextsMarked(tokens: readonly FormatToken[]): FormatToken[] {
  return tokens.map((token, index) => {
    const next = tokens[index + 1];
    const isBeforeText = next?.kind === 'field' && (next.name === 'text' || next.name === 'action');
    return token.kind === 'literal' ? { ...token, isBeforeText } : token;
  });
}

function check(tokens: readonly FormatToken[]): void {
  const names = new Set<FormatField>();
  for (const [index, token] of tokens.entries()) {
    if (token.kind === 'literal') continue;
    const { name, place } = token;
    const next = tokens[index + 1];
    if (names.has(name) && name !== 'any') throw wrong(`{${name}} is there twice.`, place);
    names.add(name);
    if ((name === 'text' || name === 'action') && next)
      throw wrong(`{${name}} is the rest of the line, so that nothing can follow it.`, place);
    if (OPEN_ENDED.has(name) && next?.kind === 'field')
      throw wrong(`{${name}} and {${next.name}} have nothing between them.`, place);
  }
  if (!names.has('nick')) throw wrong('{nick} is missing.');
  if (!names.has('text') && !names.has('action')) throw wrong('{text} or {action} is missing.');
  if (!names.has('time') && !names.has('unixtime')) throw wrong('{time} or {unixtime} is missing.');
  if (names.has('unixtime') && (names.has('time') || names.has('date')))
    throw wrong('{unixtime} holds date and time already.');
}

function fieldNamed(written: string, place: number): FormatField {
  const name = FIELDS.find((each) => each === written);
  if (name) return name;
  const meant = closest(written, FIELDS);
  const shown = written.replaceAll(/\p{C}/gu, ' ').slice(0, 30);
  throw wrong(`{${shown}} is no field.${meant === undefined ? '' : ` Did you mean {${meant}}?`}`, place);
}

function wrong(what: string, place?: number): AppError {
  const where = place === undefined ? '' : `, character ${place}`;
  return new AppError('INVALID_PARAMETER', `--format${where}: ${what}`, { field: 'format', hint: HINT });
}
