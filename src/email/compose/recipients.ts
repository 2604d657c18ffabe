import type { MailAddress } from '../../domain/email.ts';
import { AppError } from '../../domain/errors.ts';
import { quotedName } from '../../lib/shown-name.ts';
import { distinct, normalizedAddress } from './address.ts';

export type RecipientField = 'to' | 'cc' | 'bcc';
export type Recipients = Readonly<Record<RecipientField, readonly MailAddress[]>>;

const FIELDS = ['to', 'cc', 'bcc'] as const;
const MAX_RECIPIENTS = 500;
const MAX_LENGTH = 100_000;
const MAX_NAME = 250;

/** One address or many in each field; a text may hold several, separated by commas. Throws VALIDATION_ERROR. */
export function readRecipients(
  input: {
    [field in RecipientField]?: string | readonly string[] | undefined;
  },
): Recipients {
  const [to, cc, bcc] = FIELDS.map((field) => readField(field, input[field] ?? []));
  const recipients = { to: to ?? [], cc: cc ?? [], bcc: bcc ?? [] };
  checkCount(recipients);
  return recipients;
}

/** Throws VALIDATION_ERROR if there are too many. */
export function checkCount(recipients: Recipients): void {
  let count = 0;
  for (const field of FIELDS) {
    count += recipients[field].length;
    if (count > MAX_RECIPIENTS) {
      throw new AppError('VALIDATION_ERROR', `An email can have at most ${MAX_RECIPIENTS} recipients.`, { field });
    }
  }
}

function readField(field: RecipientField, input: string | readonly string[]): readonly MailAddress[] {
  const texts = typeof input === 'string' ? [input] : input;
  if (texts.reduce((sum, text) => sum + text.length, 0) > MAX_LENGTH) {
    throw new AppError('VALIDATION_ERROR', 'There are too many or too long addresses.', { field });
  }
  return distinct(texts.flatMap((text) => entriesOf(field, text)).map((entry) => readEntry(field, entry)));
}

/** Separated by commas or semicolons, except in quotes, in angle brackets and in comments. */
function entriesOf(field: RecipientField, text: string): string[] {
  if (/[\p{Cc}\u2028\u2029]/u.test(text.trim())) {
    throw wrongEntry(field, text, 'contains a line break or another control character');
  }
  const entries: string[] = [];
  let [entry, isQuoted, closing] = ['', false, ''];
  for (let at = 0; at < text.length; at++) {
    const character = text[at] ?? '';
    if (isQuoted && character === '\\') {
      entry += character + (text[++at] ?? '');
      continue;
    }
    if (character === '"' && closing === '') isQuoted = !isQuoted;
    else if (!isQuoted && closing === '' && '<('.includes(character)) closing = character === '<' ? '>' : ')';
    else if (!isQuoted && character === closing) closing = '';
    if (!isQuoted && closing === '' && ',;'.includes(character)) {
      entries.push(entry);
      entry = '';
    } else entry += character;
  }
  if (isQuoted || closing !== '') throw wrongEntry(field, entry, 'has a quote or a bracket that is not closed');
  return [...entries, entry].map((each) => each.trim()).filter((each) => each !== '');
}

function readEntry(field: RecipientField, entry: string): MailAddress {
  const [, name = '', inBrackets] = /^("(?:[^"\\]|\\.)*"|[^<>]*?)\s*<([^<>]*)>$/s.exec(entry) ?? [];
  const [, bare = entry, comment = ''] = /^(\S+)\s*\(([^()]*)\)$/s.exec(entry) ?? [];
  const address = normalizedAddress((inBrackets ?? bare).trim());
  if (address === undefined) throw wrongEntry(field, entry, 'is not an email address');
  return {
    name: nameIn(inBrackets === undefined ? comment : name)
      .slice(0, MAX_NAME)
      .toWellFormed(),
    address,
  };
}

function nameIn(text: string): string {
  const unquoted = /^".*"$/s.test(text) ? text.slice(1, -1).replaceAll(/\\(.)/gs, '$1') : text;
  return unquoted.replaceAll(/\s+/g, ' ').trim();
}

function wrongEntry(field: RecipientField, entry: string, problem: string): AppError {
  return new AppError('VALIDATION_ERROR', `${quotedName(entry.trim())} in ${field} ${problem}.`, {
    field,
    hint: 'Use addresses like joe@example.org or Joe <joe@example.org>.',
  });
}
