import type { MailAddress } from '../../domain/email.ts';
import { characterStart } from '../../lib/word-characters.ts';
import { shownAddress } from './address.ts';
import { textToHtml } from './html-body.ts';

/** What is shown of an email inside another one. */
export interface QuotedEmail {
  from: readonly MailAddress[];
  to: readonly MailAddress[];
  cc: readonly MailAddress[];
  subject: string;
  /** In milliseconds. */
  at: number;
  text: string;
  /** The end of the text is missing. */
  isCut: boolean;
}

/** Quotes within the original up to this depth are kept. */
const MAX_DEPTH = 2;
const MAX_QUOTE = 30_000;
const MAX_ADDRESSES = 50;
const OMITTED = '[…]';
const END_IS_MISSING = '[The end of this email is left out.]';
const SEPARATOR = '---------- Forwarded message ----------';

/** The original as a quote below an answer. */
export function quotedText(original: QuotedEmail): string {
  return `${attribution(original)}\n${quotedLines(original).join('\n')}\n`;
}

export function quotedHtml(original: QuotedEmail): string {
  const lines = quotedLines(original).map((line) => line.replace(/^> ?/, ''));
  return `<p>${textToHtml(attribution(original))}</p>\n<blockquote>${textToHtml(lines.join('\n'))}</blockquote>\n`;
}

/** The original as it was, with what its reader needs to know of it. */
export function forwardedText(original: QuotedEmail): string {
  const text = cleaned(original.text);
  const whole = original.isCut ? `${text}\n\n${END_IS_MISSING}` : text;
  return `${SEPARATOR}\n${headerLines(original).join('\n')}\n\n${whole}\n`;
}

export function forwardedHtml(original: QuotedEmail): string {
  return `<p>${textToHtml(forwardedText(original))}</p>\n`;
}

function attribution({ from, at }: QuotedEmail): string {
  return `On ${shownTime(at)}, ${from.map(shownAddress).join(', ') || 'somebody'} wrote:`;
}

function headerLines({ from, to, cc, subject, at }: QuotedEmail): string[] {
  const list = (addresses: readonly MailAddress[]) => {
    const shown = addresses.slice(0, MAX_ADDRESSES).map(shownAddress).join(', ');
    return addresses.length > MAX_ADDRESSES ? `${shown}, … (${addresses.length} in all)` : shown;
  };
  return [
    `From: ${list(from)}`,
    `Date: ${shownTime(at)}`,
    `Subject: ${subject}`,
    `To: ${list(to)}`,
    ...(cc.length > 0 ? [`Cc: ${list(cc)}`] : []),
  ];
}

/** Deep quotes repeat what the reader has had several times. */
function quotedLines(original: QuotedEmail): string[] {
  const lines: string[] = [];
  for (const line of beginningOf(original).split('\n')) {
    const isDeep = depthOf(line) >= MAX_DEPTH;
    if (!isDeep) lines.push(line.startsWith('>') ? `>${line}` : `> ${line}`.trimEnd());
    else if (!lines.at(-1)?.endsWith(OMITTED)) lines.push(`>> ${OMITTED}`);
  }
  return lines;
}

function depthOf(line: string): number {
  return /^(?:>\s?)*/.exec(line)?.[0].replaceAll(/\s/g, '').length ?? 0;
}

function cleaned(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/\r\n?/g, '\n')
    .replaceAll(/[^\P{Cc}\n\t]/gu, '')
    .trim();
}

function beginningOf({ text, isCut }: QuotedEmail): string {
  const all = cleaned(text);
  return all.length > MAX_QUOTE || isCut ? `${all.slice(0, characterStart(all, MAX_QUOTE))}\n${OMITTED}` : all;
}

/** `2026-11-17 09:30 UTC`: the reader's zone is not known. */
function shownTime(at: number): string {
  return `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}
