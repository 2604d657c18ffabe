import { isDeepStrictEqual } from 'node:util';
import type { Json } from '../domain/json.ts';
import { commaAfter, type Node, parseJsonc } from './jsonc.ts';
import { WrongShape } from './wrong-shape.ts';

/** Puts an entry into a section of a JSON text. Nothing else in the text changes, its comments included. */
export function setJsonEntry(
  text: string,
  section: string,
  name: string,
  entryFrom: (existing: Json | undefined) => Json,
): string {
  if (isEmpty(text)) return `${show({ [section]: { [name]: entryFrom(undefined) } }, '  ')}\n`;
  const root = object(parseJsonc(text), 'the file');
  const layout = layoutOf(text, root);
  const sectionNode = member(root, section);
  if (!sectionNode) return insert(text, root, section, { [name]: entryFrom(undefined) }, 1, layout);
  const entryNode = member(object(sectionNode, section), name);
  if (!entryNode) return insert(text, sectionNode, name, entryFrom(undefined), 2, layout);
  const entry = entryFrom(entryNode.value);
  if (isDeepStrictEqual(entry, entryNode.value)) return text;
  return text.slice(0, entryNode.start) + nested(entry, 2, layout) + text.slice(entryNode.end);
}

export function jsonEntry(text: string, section: string, name: string): Json | undefined {
  return entryNodes(text, section, name)?.entry.value;
}

export function hasJsonSection(text: string, section: string): boolean {
  return jsonMember(text, section) !== undefined;
}

export function jsonMember(text: string, key: string): Json | undefined {
  return isEmpty(text) ? undefined : member(parseJsonc(text), key)?.value;
}

/** Takes an entry out. The section goes with its last entry where that is wanted; nothing else changes. */
export function removeJsonEntry(text: string, section: string, name: string, options: RemoveOptions): string {
  const found = entryNodes(text, section, name);
  if (!found) return text;
  const { root, of } = found;
  const isLast = of.members?.every(({ key }) => key === name) ?? false;
  return isLast && options.dropsEmptySection ? cut(text, root, section) : cut(text, of, name);
}

export interface RemoveOptions {
  dropsEmptySection: boolean;
}

function entryNodes(text: string, section: string, name: string): { root: Node; of: Node; entry: Node } | undefined {
  if (isEmpty(text)) return undefined;
  const root = parseJsonc(text);
  const of = member(root, section);
  const entry = of && member(of, name);
  return entry && { root, of, entry };
}

/** Removes all members of this name with the comma that separates them; comments beside them stay. */
function cut(text: string, from: Node, key: string): string {
  const index = from.members?.findLastIndex((each) => each.key === key) ?? -1;
  if (index === -1) return text;
  const tidy = withoutMember(text, from, index, { keepsLine: false });
  // What followed on the line of the member would be in the comment before it.
  const changed = isJsonc(tidy) ? tidy : withoutMember(text, from, index, { keepsLine: true });
  const rest = nodeAt(parseJsonc(changed), from.start);
  return rest ? cut(changed, rest, key) : changed;
}

function withoutMember(text: string, from: Node, index: number, { keepsLine }: { keepsLine: boolean }): string {
  const { [index]: gone, [index - 1]: before, [index + 1]: after } = from.members ?? [];
  if (!gone) return text;
  const ownComma = commaAfter(text, gone.node.end);
  const start = keepsLine ? gone.start : text.slice(0, gone.start).trimEnd().length;
  const end = ownComma === -1 ? gone.node.end : ownComma + 1;
  const isOnly = !before && !after;
  if (isOnly && isBlank(text.slice(from.start + 1, start)) && isBlank(text.slice(end, from.end - 1))) {
    return text.slice(0, from.start + 1) + text.slice(from.end - 1);
  }
  const comma = before && ownComma === -1 ? commaAfter(text, before.node.end) : -1;
  const head = comma === -1 ? text.slice(0, start) : text.slice(0, comma) + text.slice(comma + 1, start);
  return head + text.slice(end);
}

/** The same object in the changed text: it starts where it started. */
function nodeAt(node: Node, start: number): Node | undefined {
  if (node.start === start) return node;
  return node.members?.map((each) => nodeAt(each.node, start)).find((each) => each !== undefined);
}

function isEmpty(text: string): boolean {
  return text.replace('\uFEFF', '').trim() === '';
}

function isBlank(text: string): boolean {
  return text.trim() === '';
}

function isJsonc(text: string): boolean {
  try {
    parseJsonc(text);
    return true;
  } catch {
    return false;
  }
}

interface Layout {
  indent: string;
  newline: string;
}

function layoutOf(text: string, root: Node): Layout {
  return { indent: indentIn(text, root, 1) ?? '  ', newline: text.includes('\r\n') ? '\r\n' : '\n' };
}

/** The white space of one level, by the first member that begins a line. */
function indentIn(text: string, { members = [] }: Node, depth: number): string | undefined {
  for (const { start, node } of members) {
    const space = text.slice(text.lastIndexOf('\n', start) + 1, start);
    const isFirst = /^[ \t]+$/.test(space) && text.lastIndexOf('\n', start) !== -1;
    if (isFirst && space.length % depth === 0) return space.slice(0, space.length / depth);
    const inside = indentIn(text, node, depth + 1);
    if (inside !== undefined) return inside;
  }
  return undefined;
}

function object(node: Node, place: string): Node {
  if (!node.members) throw new WrongShape(place);
  return node;
}

/** Of duplicate members the last one counts. */
function member(node: Node, key: string): Node | undefined {
  return node.members?.findLast((each) => each.key === key)?.node;
}

/** Appended as the last member: the comma is inserted right after the previous one, and comments are kept in place. */
function insert(text: string, into: Node, key: string, value: Json, depth: number, layout: Layout): string {
  const { indent, newline } = layout;
  const last = into.members?.at(-1);
  const comma = last && !into.endsInComma ? ',' : '';
  const seam = last?.node.end ?? into.start + 1;
  const brace = into.end - 1;
  const between = text.slice(seam, brace);
  const added = `${newline}${indent.repeat(depth)}${JSON.stringify(key)}: ${nested(value, depth, layout)}`;
  const closing = `${newline}${indent.repeat(depth - 1)}`;
  return text.slice(0, seam) + comma + between.trimEnd() + added + closing + text.slice(brace);
}

function nested(value: Json, depth: number, { indent, newline }: Layout): string {
  return show(value, indent).replaceAll('\n', `${newline}${indent.repeat(depth)}`);
}

function show(value: Json, indent: string): string {
  return JSON.stringify(value, null, indent);
}
