import { htmlToText } from '../../lib/html-text.ts';
import { calendarText } from './calendar-text.ts';
import { decodeCharset } from './charset.ts';
import { unflowed } from './flowed.ts';
import { charsetOf, type Part } from './part.ts';
import type { Problem } from './problems.ts';
import type { BodyNode } from './structure.ts';
import { decodeTransfer } from './transfer-encoding.ts';

/** More of a text is not read: encoded bytes of a part, and characters of all of them. */
const MAX_BYTES = 2 * 1024 * 1024;
const MAX_TEXT = 1_000_000;

type Report = (problem: Problem) => void;

/** The readable text of an email. Only the parts that are shown are decoded. */
export function bodyText(bytes: Buffer, body: BodyNode | undefined, report: Report): string {
  const text = body ? textOf(bytes, body, report).trim() : '';
  if (text.length <= MAX_TEXT) return text;
  report('longText');
  return text.slice(0, MAX_TEXT).toWellFormed();
}

function textOf(bytes: Buffer, node: BodyNode, report: Report): string {
  if (node.kind === 'heading') return node.text;
  if ('part' in node) return leafText(bytes, node.kind, node.part, report);
  return node.kind === 'alternatives' ? bestText(bytes, node.nodes, report) : allTexts(bytes, node.nodes, report);
}

function allTexts(bytes: Buffer, nodes: readonly BodyNode[], report: Report): string {
  const texts: string[] = [];
  let length = 0;
  // An invitation is also an attachment; it is read only if it is alone.
  const readable = nodes.filter((node) => node.kind !== 'calendar');
  for (const node of readable.length > 0 ? readable : nodes.slice(0, 1)) {
    const text = textOf(bytes, node, report).trim();
    if (text !== '') texts.push(text);
    length += text.length;
    if (length > MAX_TEXT) break;
  }
  return texts.join('\n\n');
}

/** The plain text, unless it only says that there is an HTML text; then the last one, which is the richest (RFC 2046). */
function bestText(bytes: Buffer, nodes: readonly BodyNode[], report: Report): string {
  let fallback = '';
  for (const node of nodes.toReversed().sort((a, b) => rankOf(a) - rankOf(b))) {
    const text = textOf(bytes, node, report).trim();
    if (text !== '' && !isStub(text)) return text;
    if (fallback === '') fallback = text;
  }
  return fallback;
}

function rankOf(node: BodyNode): number {
  return isPlain(node) ? 0 : node.kind === 'calendar' ? 2 : 1;
}

function isPlain(node: BodyNode): boolean {
  if (node.kind === 'heading') return true;
  return 'part' in node ? node.kind === 'plain' : node.nodes.every(isPlain);
}

/** A plain text that is written because one must be there. */
function isStub(text: string): boolean {
  return text.length < 400 && (STUB.test(text) || /^\S*https?:\/\/\S+$/.test(text));
}

/** Phrases of such texts in the languages that most of them are in. */
const STUB = new RegExp(
  [
    /(?:view|read|see|open|display)(?:ing|ed)?\s+(?:(?:this|the|it|our)\s+)?(?:(?:e-?mail|message|newsletter)\s+)?(?:in|with|using|on)\s+(?:(?:a|an|your|the)\s+)?(?:web\s*browser|browser|html)/,
    /html[- ](?:e-?mail|mail|message|compatible|capable|enabled|format|version|content)/,
    /(?:support|display|enable|show|read)s?\s+html/,
    /html-(?:fähig|nachricht|format|ansicht|darstellung|e-?mail|version)/,
    /(?:format|formato|version)\s+html/,
    /im browser (?:ansehen|anzeigen|öffnen|lesen)/,
    /version en ligne|dans votre navigateur|en su navegador|nel (?:tuo )?browser/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'i',
);

function leafText(bytes: Buffer, kind: 'plain' | 'html' | 'calendar', part: Part, report: Report): string {
  const text = decoded(bytes, part, kind, report);
  if (kind === 'calendar') return calendarText(text);
  // Some programs label an HTML text as plain.
  if (kind === 'html' || /^\s{0,100}<(?:!doctype html|html|head|body)[\s>]/i.test(text)) return htmlToText(text);
  const { parameters } = part;
  if (parameters.get('format')?.toLowerCase() !== 'flowed') return text;
  return unflowed(text, parameters.get('delsp')?.toLowerCase() === 'yes');
}

function decoded(bytes: Buffer, part: Part, kind: string, report: Report): string {
  if (part.end - part.start > MAX_BYTES) report('longText');
  if (part.encoding === undefined) report('unknownEncoding');
  const encoded = bytes.subarray(part.start, Math.min(part.end, part.start + MAX_BYTES));
  const content = decodeTransfer(encoded, part.encoding ?? 'none');
  const charset = charsetOf(part) || (kind === 'html' ? charsetInHtml(content) : '');
  return withPlainBreaks(decodeCharset(content, charset, report));
}

/** `<meta charset="…">`, for HTML without a name of the character set in its headers. */
function charsetInHtml(content: Buffer): string {
  return (
    /<meta[^>]{1,200}charset=["']?([\w-]{1,40})/i.exec(content.toString('latin1', 0, 2_000))?.[1]?.toLowerCase() ?? ''
  );
}

function withPlainBreaks(text: string): string {
  const plain = text.includes('\r') ? text.replaceAll('\r\n', '\n').replaceAll('\r', '\n') : text;
  return plain.includes('\0') ? plain.replaceAll('\0', '') : plain;
}
