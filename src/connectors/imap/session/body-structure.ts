import type { MessageStructureObject } from 'imapflow';

/** One part that is not made of others, and its number (RFC 3501, section 6.4.5). */
export interface NumberedPart {
  number: string;
  node: MessageStructureObject;
}

const TEXT = /^text\/(plain|html|markdown|x-markdown|enriched|richtext|calendar)$/;
/** A server that nests deeper is not believed. */
const MAX_DEPTH = 50;

/** All parts of an email, those of attached emails included. */
export function* partsOf(root: MessageStructureObject): Generator<NumberedPart> {
  yield* partsOfMessage(root, '', 0);
}

/** Texts that are shown with the email: not attached, and not of an attached email. */
export function textPartsOf(root: MessageStructureObject): readonly NumberedPart[] {
  const attached = [...partsOf(root)].filter(({ node }) => isMessage(node)).map(({ number }) => `${number}.`);
  return [...partsOf(root)].filter(
    ({ number, node }) =>
      TEXT.test(node.type) &&
      node.disposition !== 'attachment' &&
      !attached.some((prefix) => number.startsWith(prefix)),
  );
}

/**
 * The content of an email, after its header, as it would be if its attachments were empty: `texts` are the encoded contents of
 * parts by their number. Undefined if the server does not tell the boundaries.
 */
export function skeletonOf(root: MessageStructureObject, texts: ReadonlyMap<string, Uint8Array>): Buffer | undefined {
  const pieces: (string | Uint8Array)[] = [];
  const isComplete = writeMessage(root, '', 0, texts, pieces);
  return isComplete ? Buffer.concat(pieces.map((piece) => Buffer.from(piece))) : undefined;
}

function* partsOfMessage(root: MessageStructureObject, prefix: string, depth: number): Generator<NumberedPart> {
  if (isMultipart(root)) yield* partsOfMultipart(root, prefix, depth);
  else yield* leaf(root, numbered(prefix, 1), depth);
}

function* partsOfMultipart(node: MessageStructureObject, prefix: string, depth: number): Generator<NumberedPart> {
  if (depth >= MAX_DEPTH) return;
  for (const [index, child] of (node.childNodes ?? []).entries()) {
    const number = numbered(prefix, index + 1);
    if (isMultipart(child)) yield* partsOfMultipart(child, number, depth + 1);
    else yield* leaf(child, number, depth + 1);
  }
}

function* leaf(node: MessageStructureObject, number: string, depth: number): Generator<NumberedPart> {
  yield { number, node };
  const [inner] = isMessage(node) ? (node.childNodes ?? []) : [];
  if (inner && depth < MAX_DEPTH) yield* partsOfMessage(inner, number, depth + 1);
}

/** What follows the header of a message. */
function writeMessage(
  node: MessageStructureObject,
  prefix: string,
  depth: number,
  texts: ReadonlyMap<string, Uint8Array>,
  to: (string | Uint8Array)[],
): boolean {
  if (!isMultipart(node)) return writeContent(node, numbered(prefix, 1), depth, texts, to);
  const boundary = node.parameters?.boundary;
  if (!boundary || /[\r\n]/.test(boundary) || depth >= MAX_DEPTH) return false;
  for (const [index, child] of (node.childNodes ?? []).entries()) {
    const number = numbered(prefix, index + 1);
    to.push(`\r\n--${boundary}\r\n`, headerOf(child), '\r\n');
    const isWritten = isMultipart(child)
      ? writeMessage(child, number, depth + 1, texts, to)
      : writeContent(child, number, depth + 1, texts, to);
    if (!isWritten) return false;
  }
  to.push(`\r\n--${boundary}--\r\n`);
  return true;
}

function writeContent(
  node: MessageStructureObject,
  number: string,
  depth: number,
  texts: ReadonlyMap<string, Uint8Array>,
  to: (string | Uint8Array)[],
): boolean {
  const text = texts.get(number);
  if (text) to.push(text);
  const [inner] = isMessage(node) ? (node.childNodes ?? []) : [];
  if (!inner || depth >= MAX_DEPTH) return true;
  const subject = node.envelope?.subject ?? '';
  to.push(`Subject: ${onOneLine(subject)}\r\n`, headerOf(inner), '\r\n');
  return writeMessage(inner, number, depth + 1, texts, to);
}

function headerOf(node: MessageStructureObject): string {
  const lines = [`Content-Type: ${onOneLine(node.type)}${parametersText(node.parameters)}`];
  if (node.encoding) lines.push(`Content-Transfer-Encoding: ${onOneLine(node.encoding)}`);
  if (node.id) lines.push(`Content-ID: ${onOneLine(node.id)}`);
  if (node.disposition) {
    lines.push(`Content-Disposition: ${onOneLine(node.disposition)}${parametersText(node.dispositionParameters)}`);
  }
  return `${lines.join('\r\n')}\r\n`;
}

/** In the form of RFC 2231, which every character survives. */
function parametersText(parameters: Readonly<Record<string, string>> = {}): string {
  return Object.entries(parameters)
    .filter(([name]) => /^[\w.-]+$/.test(name))
    .map(([name, value]) =>
      /^[\w.+:/=?-]+$/.test(value) ? `; ${name}="${value}"` : `; ${name}*=utf-8''${percentEncoded(value)}`,
    )
    .join('');
}

function percentEncoded(value: string): string {
  return encodeURIComponent(value.toWellFormed()).replaceAll(
    /['()*!~]/g,
    (each) => `%${each.charCodeAt(0).toString(16)}`,
  );
}

function onOneLine(text: string): string {
  return text.toWellFormed().replaceAll(/\s+/g, ' ');
}

function isMultipart({ type }: MessageStructureObject): boolean {
  return type.startsWith('multipart/');
}

function isMessage({ type }: MessageStructureObject): boolean {
  return type === 'message/rfc822' || type === 'message/global';
}

function numbered(prefix: string, index: number): string {
  return prefix === '' ? String(index) : `${prefix}.${index}`;
}
