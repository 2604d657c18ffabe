import type { Json } from '../domain/json.ts';
import { type Node, parseJsonc } from './jsonc.ts';
import { WrongShape } from './wrong-shape.ts';

/** Puts an entry into a section of a JSON text. Nothing else in the text changes, its comments included. */
export function setJsonEntry(
  text: string,
  section: string,
  name: string,
  entryFrom: (existing: Json | undefined) => Json,
): string {
  if (text.replace('\uFEFF', '').trim() === '')
    return `${show({ [section]: { [name]: entryFrom(undefined) } }, '  ')}\n`;
  const layout = layoutOf(text);
  const root = object(parseJsonc(text), 'the file');
  const sectionNode = member(root, section);
  if (!sectionNode) return insert(text, root, section, { [name]: entryFrom(undefined) }, 1, layout);
  const entryNode = member(object(sectionNode, section), name);
  if (!entryNode) return insert(text, sectionNode, name, entryFrom(undefined), 2, layout);
  const entry = entryFrom(entryNode.value);
  if (isSame(entry, entryNode.value)) return text;
  return text.slice(0, entryNode.start) + nested(entry, 2, layout) + text.slice(entryNode.end);
}

interface Layout {
  indent: string;
  newline: string;
}

function layoutOf(text: string): Layout {
  const [, indent = '  '] = /\n([ \t]+)"/.exec(text) ?? [];
  return { indent, newline: text.includes('\r\n') ? '\r\n' : '\n' };
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

function isSame(one: Json, other: Json): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
