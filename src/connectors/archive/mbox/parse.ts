import type { MailAddress, ParsedEmail } from '../../../domain/email.ts';
import { parseAddresses } from '../../mime/addresses.ts';
import { decodeWords } from '../../mime/encoded-words.ts';
import { readHeader } from '../../mime/header-fields.ts';
import { parseEmail } from '../../mime/parse-email.ts';
import { fieldOf } from '../../mime/part.ts';
import { PROBLEMS, type Problem } from '../../mime/problems.ts';
import type { SkipReason } from '../importer.ts';
import { sizeOf } from './slim.ts';
import type { RawLetter } from './split.ts';

/** An email of an mbox, and what only programs that write mboxes put into its headers. */
export interface Letter extends ParsedEmail {
  /** Of the header `Sender`. */
  sentBy: readonly MailAddress[];
  /** Labels and conversation of Gmail. */
  labels: readonly string[];
  conversation?: string;
}

const OWN_HEADERS: ReadonlySet<string> = new Set(['from', 'sender', 'x-gmail-labels', 'x-gm-thrid']);

export function parseLetter({ bytes, isCut }: Pick<RawLetter, 'bytes' | 'isCut'>): Letter {
  const email = parseEmail(bytes, { isTruncated: isCut, showsEmbedded: true, sizeOf });
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const { fields } = readHeader(buffer, 0, buffer.length, OWN_HEADERS);
  const conversation = fieldOf(fields, 'x-gm-thrid') ?? '';
  return {
    ...email,
    from: email.from.some(({ address }) => address !== '')
      ? email.from
      : obfuscated(fieldOf(fields, 'from'), email.from),
    sentBy: parseAddresses(fieldOf(fields, 'sender') ?? '').addresses,
    // One label that is not ASCII makes the whole list encoded words.
    labels: decodeWords(fieldOf(fields, 'x-gmail-labels') ?? '')
      .split(',')
      .map((label) => label.trim()),
    ...(/^\d{1,20}$/.test(conversation) ? { conversation } : {}),
  };
}

/** Mailing list programs hide addresses from robots: `ada at example.test (Ada)`. */
function obfuscated(header: string | undefined, from: readonly MailAddress[]): readonly MailAddress[] {
  const [, name, host, comment = ''] = /^([\w.+=-]+) at ([\w-]+(?:\.[\w-]+)+)(?: +\((.*)\))?$/.exec(header ?? '') ?? [];
  if (name === undefined) return from;
  const [own] = parseAddresses(`${name}@${host}${comment === '' ? '' : ` (${comment})`}`).addresses;
  return own ? [own] : from;
}

const LOSSES: readonly (readonly [Problem, SkipReason])[] = [
  ['undecoded', 'undecoded'],
  ['tooDeep', 'too_deep'],
  ['tooManyParts', 'too_large'],
  ['longText', 'too_large'],
];

/** What of the email could not be read. */
export function lossesOf({ problems }: ParsedEmail): readonly SkipReason[] {
  return LOSSES.flatMap(([problem, why]) => (problems.includes(PROBLEMS[problem]) ? [why] : []));
}
