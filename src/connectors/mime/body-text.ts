import { htmlToText } from '../../lib/html-text.ts';
import { characterStart } from '../../lib/word-characters.ts';
import { calendarText } from './calendar-text.ts';
import { decodeCharset } from './charset.ts';
import { unflowed } from './flowed.ts';
import { charsetOf, type Part } from './part.ts';
import type { Problem } from './problems.ts';
import type { BodyNode } from './structure.ts';
import { decodeTransfer } from './transfer-encoding.ts';

/** More characters of a text are not read, unless more are wanted. */
const MAX_TEXT = 1_000_000;
/** Of each part, so many encoded bytes are read for each character. */
const BYTES_PER_CHARACTER = 2;

interface Reading {
  bytes: Buffer;
  report(problem: Problem): void;
  maxText: number;
  /** Bytes are missing at the end. */
  isTruncated: boolean;
}

/** The readable text of an email. Only the parts that are shown are decoded. */
export function bodyText(
  bytes: Buffer,
  body: BodyNode | undefined,
  report: (problem: Problem) => void,
  { maxText = MAX_TEXT, isTruncated = false }: Partial<Pick<Reading, 'maxText' | 'isTruncated'>> = {},
): string {
  const text = body ? textOf(body, { bytes, report, maxText, isTruncated }).trim() : '';
  if (text.length <= maxText) return text;
  report('longText');
  return text.slice(0, characterStart(text, maxText));
}

function textOf(node: BodyNode, reading: Reading): string {
  if (node.kind === 'heading') return node.text;
  if ('part' in node) return leafText(node.kind, node.part, reading);
  return node.kind === 'alternatives' ? bestText(node.nodes, reading) : allTexts(node.nodes, reading);
}

function allTexts(nodes: readonly BodyNode[], reading: Reading): string {
  const texts: string[] = [];
  let length = 0;
  // An invitation is also an attachment; it is read only if it is alone.
  const readable = nodes.filter((node) => node.kind !== 'calendar');
  for (const node of readable.length > 0 ? readable : nodes.slice(0, 1)) {
    const text = textOf(node, reading).trim();
    if (text !== '') texts.push(text);
    length += text.length;
    if (length > reading.maxText) break;
  }
  return texts.join('\n\n');
}

/** The plain text, unless it only says that there is an HTML text; then the last one, which is the richest (RFC 2046). */
function bestText(nodes: readonly BodyNode[], reading: Reading): string {
  let fallback = '';
  for (const node of nodes.toReversed().sort((a, b) => rankOf(a) - rankOf(b))) {
    const text = textOf(node, reading).trim();
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

function leafText(kind: 'plain' | 'html' | 'calendar', part: Part, reading: Reading): string {
  const text = decoded(part, kind, reading);
  if (kind === 'calendar') return calendarText(text);
  // Some programs label an HTML text as plain.
  if (kind === 'html' || /^\s{0,100}<(?:!doctype html|html|head|body)[\s>]/i.test(text)) return htmlToText(text);
  const { parameters } = part;
  if (parameters.get('format')?.toLowerCase() !== 'flowed') return text;
  return unflowed(text, parameters.get('delsp')?.toLowerCase() === 'yes');
}

function decoded(part: Part, kind: string, { bytes, report, maxText, isTruncated }: Reading): string {
  const maxBytes = BYTES_PER_CHARACTER * maxText;
  const isLong = part.end - part.start > maxBytes;
  if (isLong) report('longText');
  if (part.encoding === undefined) report('unknownEncoding');
  const encoded = bytes.subarray(part.start, Math.min(part.end, part.start + maxBytes));
  const isCut = isLong || isTruncated;
  const content = decodeTransfer(isCut ? withoutCutByte(encoded, part) : encoded, part.encoding ?? 'none');
  const charset = charsetOf(part) || (kind === 'html' ? charsetInHtml(content) : '');
  return withPlainBreaks(decodeCharset(content, charset, report, isCut));
}

/** Without a last byte in quoted-printable of which only the beginning is there. */
function withoutCutByte(encoded: Buffer, { encoding }: Part): Buffer {
  const at = encoding === 'quoted-printable' ? encoded.indexOf('=', Math.max(0, encoded.length - 2)) : -1;
  return at === -1 ? encoded : encoded.subarray(0, at);
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
