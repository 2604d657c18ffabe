import { isDeepStrictEqual } from 'node:util';
import { isMap, isScalar, isSeq, type Pair, parseDocument, stringify, type YAMLMap, type YAMLSeq } from 'yaml';
import type { Json, JsonObject } from '../domain/json.ts';
import { WrongShape } from './wrong-shape.ts';

export class NotYaml extends Error {
  readonly line: number;

  constructor(line: number) {
    super('not YAML');
    this.line = line;
  }
}

const SECTION = 'mcpServers';
/** What Continue requires of its file. */
const NEW_FILE = 'name: Local\nversion: 0.0.1\nschema: v1\n';

/** Puts a server into the list of Continue's configuration. Nothing else in the text changes, its comments included. */
export function setYamlEntry(
  text: string,
  name: string,
  entryFrom: (existing: Json | undefined) => JsonObject,
): string {
  if (text.trim() === '') return setYamlEntry(NEW_FILE, name, entryFrom);
  const list = listIn(text);
  const made = (existing?: Json) => ({ name, ...entryFrom(existing) });
  if (!list) return `${text}${text.endsWith('\n') ? '' : '\n'}${SECTION}:\n${itemText(made(), '  ')}`;
  if (list.items.length === 0) return replaceRange(text, list.range, `\n${itemText(made(), '  ').trimEnd()}`);
  const found = itemOf(list, name);
  if (!found) {
    const last = list.items.at(-1) as YAMLMap;
    const end = last.range?.[1] ?? text.length;
    const head = text.slice(0, end).trimEnd();
    return `${head}\n${itemText(made(), indentOf(text, list))}${text.slice(head.length).replace(/^[ \t]*\r?\n/, '')}`;
  }
  const { name: _, ...before } = found.toJSON() as JsonObject;
  const entry = made(before);
  if (isDeepStrictEqual(entry, { name, ...before })) return text;
  const indent = indentOf(text, list);
  return replaceRange(
    text,
    found.range,
    itemText(entry, indent)
      .slice(indent.length + 2)
      .trimEnd(),
  );
}

export function yamlEntry(text: string, name: string): JsonObject | undefined {
  const list = text.trim() === '' ? undefined : listIn(text);
  const found = list && itemOf(list, name);
  if (!found) return undefined;
  const { name: _, ...entry } = found.toJSON() as JsonObject;
  return entry;
}

export function hasYamlSection(text: string): boolean {
  return text.trim() !== '' && pairIn(text) !== undefined;
}

/** Takes a server out of the list; the list goes with its last server where that is wanted. */
export function removeYamlEntry(
  text: string,
  name: string,
  { dropsEmptySection }: { dropsEmptySection: boolean },
): string {
  const list = text.trim() === '' ? undefined : listIn(text);
  const found = list && itemOf(list, name);
  if (!list || !found) return text;
  if (list.items.length > 1) return cutLines(text, found.range?.[0] ?? 0, found.range?.[1] ?? 0);
  if (!dropsEmptySection) return replaceRange(text, list.range, '[]');
  const pair = pairIn(text);
  const key = isScalar(pair?.key) ? pair.key.range?.[0] : undefined;
  return cutLines(text, key ?? 0, list.range?.[1] ?? 0);
}

function pairIn(text: string): Pair | undefined {
  const document = parseDocument(text, { prettyErrors: false });
  const [error] = document.errors;
  if (error) throw new NotYaml(text.slice(0, error.pos[0]).split('\n').length);
  if (!isMap(document.contents) || document.contents.flow) throw new WrongShape('the file');
  return document.contents.items.find(({ key }) => isScalar(key) && key.value === SECTION);
}

function listIn(text: string): YAMLSeq | undefined {
  const pair = pairIn(text);
  if (!pair) return undefined;
  const { value } = pair;
  if (!isSeq(value) || (value.flow && value.items.length > 0) || !value.items.every((item) => isMap(item))) {
    throw new WrongShape(SECTION);
  }
  return value;
}

function itemOf(list: YAMLSeq, name: string): YAMLMap | undefined {
  const found = list.items.find((item) => isMap(item) && item.get('name') === name);
  if (isMap(found) && found.flow) throw new WrongShape(SECTION);
  return isMap(found) ? found : undefined;
}

/** The white space before the dashes of the list. */
function indentOf(text: string, { range }: YAMLSeq): string {
  const start = range?.[0] ?? 0;
  return text.slice(text.lastIndexOf('\n', start - 1) + 1, start);
}

function itemText(entry: JsonObject, indent: string): string {
  const lines = stringify([entry], { lineWidth: 0 }).trimEnd().split('\n');
  return lines.map((line) => `${indent}${line}\n`).join('');
}

function replaceRange(text: string, range: YAMLSeq['range'], by: string): string {
  const [start, end] = range ?? [text.length, text.length];
  const head = by.startsWith('\n') ? text.slice(0, start).trimEnd() : text.slice(0, start);
  // The range of a block ends with its last line.
  return `${head}${by}${text.slice(text.slice(0, end).trimEnd().length)}`;
}

/** Removes the lines of a range. */
function cutLines(text: string, from: number, to: number): string {
  const start = text.lastIndexOf('\n', from - 1) + 1;
  const trimmed = text.slice(0, to).trimEnd().length;
  const end = text.indexOf('\n', trimmed);
  return text.slice(0, start) + (end === -1 ? '' : text.slice(end + 1));
}
