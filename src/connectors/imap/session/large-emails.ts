import type { ImapFlow, MessageStructureObject } from 'imapflow';
import type { ParsedEmail } from '../../../domain/email.ts';
import { parseEmail } from '../../mime/parse-email.ts';
import { skeletonOf, textPartsOf } from './body-structure.ts';
import { MAX_EMAIL_BYTES } from './limits.ts';
import { uidSet } from './uid-set.ts';

/** An email of which only the beginning was fetched. */
export interface LargeEmail {
  uid: number;
  beginning: Buffer;
}

interface TextLimits {
  /** Of each text, encoded. */
  maxBytes: number;
  /** Characters of all texts; missing for as many as are usually read. */
  maxText?: number;
}

/** Texts of one email that are fetched. */
const MAX_TEXTS = 10;
const HEADER_END = /\r?\n\r?\n/;

/**
 * Large emails without the content of their attachments: what is missing in the beginning is put together from the structure that
 * the server tells, and from the text parts, of which `maxBytes` each are fetched. An email of which that is not possible is
 * missing in the result.
 */
export async function parseLargeEmails(
  client: ImapFlow,
  emails: readonly LargeEmail[],
  limits: TextLimits = { maxBytes: MAX_EMAIL_BYTES },
): Promise<ReadonlyMap<number, ParsedEmail>> {
  const structures = await structuresOf(client, emails);
  const texts = await textsOf(client, structures, limits);
  const parsed = new Map<number, ParsedEmail>();
  for (const { uid, beginning } of emails) {
    const structure = structures.get(uid);
    const email = structure && parseLarge(beginning, structure, texts.get(uid) ?? new Map(), limits);
    if (email) parsed.set(uid, email);
  }
  return parsed;
}

function parseLarge(
  beginning: Buffer,
  structure: MessageStructureObject,
  texts: ReadonlyMap<string, Buffer>,
  { maxBytes, maxText }: TextLimits,
): ParsedEmail | undefined {
  const match = HEADER_END.exec(beginning.toString('latin1'));
  const content = skeletonOf(structure, texts);
  if (!match || !content) return undefined;
  const header = beginning.subarray(0, match.index + match[0].length);
  const isTruncated =
    textPartsOf(structure).length > MAX_TEXTS || [...texts.values()].some(({ length }) => length >= maxBytes);
  const email = parseEmail(Buffer.concat([header, content]), { isTruncated, ...(maxText ? { maxText } : {}) });
  return { ...email, attachments: email.attachments.map(({ size: _, ...attachment }) => attachment) };
}

async function structuresOf(client: ImapFlow, emails: readonly LargeEmail[]) {
  const structures = new Map<number, MessageStructureObject>();
  const set = uidSet(emails.map(({ uid }) => uid));
  for await (const { uid, bodyStructure } of client.fetch(set, { uid: true, bodyStructure: true }, { uid: true })) {
    if (bodyStructure) structures.set(uid, bodyStructure);
  }
  return structures;
}

/** Emails whose texts have the same numbers are asked for at once. */
async function textsOf(
  client: ImapFlow,
  structures: ReadonlyMap<number, MessageStructureObject>,
  { maxBytes }: TextLimits,
) {
  const texts = new Map<number, Map<string, Buffer>>();
  const groups = Map.groupBy([...structures], ([, structure]) => textNumbersOf(structure).join(' '));
  for (const [numbers, group] of groups) {
    if (numbers === '') continue;
    const bodyParts = numbers.split(' ').map((key) => ({ key, maxLength: maxBytes }));
    const set = uidSet(group.map(([uid]) => uid));
    for await (const { uid, bodyParts: found } of client.fetch(set, { uid: true, bodyParts }, { uid: true })) {
      if (found) texts.set(uid, new Map([...found].filter(([, content]) => content)));
    }
  }
  return texts;
}

function textNumbersOf(structure: MessageStructureObject): readonly string[] {
  return textPartsOf(structure)
    .slice(0, MAX_TEXTS)
    .map(({ number }) => number);
}
