import type { ParsedEmail } from '../../../domain/email.ts';
import { MailError } from '../../mail-connector.ts';
import { decodeTransfer, encodingOf } from '../../mime/transfer-encoding.ts';
import { partsOf } from './body-structure.ts';
import type { ImapConnection } from './connection.ts';
import { parseLargeEmails } from './large-emails.ts';
import { MAX_EMAIL_BYTES } from './limits.ts';

/** Content that is encoded is up to three times as long: every byte as `=3D`. */
const MAX_ENCODING = 3;
/** Encoded bytes that are fetched for each character of a text. */
const BYTES_PER_CHARACTER = 2;

export async function sourceOf(
  { client, inFolder }: ImapConnection,
  path: string,
  uid: number,
  maxBytes: number,
): Promise<Uint8Array> {
  return inFolder(path, 'read', async () => {
    const facts = found(await client.fetchOne(String(uid), { uid: true, size: true }, { uid: true }), uid);
    if ((facts.size ?? 0) > maxBytes) throw tooLarge('email');
    const source = await beginningOf(client, uid, maxBytes + 1);
    if (source.length > maxBytes) throw tooLarge('email');
    return source;
  });
}

/** The email with its text up to so many characters, but without the content of its attachments. */
export async function emailOf(
  { client, inFolder }: ImapConnection,
  path: string,
  uid: number,
  maxText: number,
): Promise<ParsedEmail> {
  return inFolder(path, 'read', async () => {
    const beginning = await beginningOf(client, uid, MAX_EMAIL_BYTES);
    const limits = { maxBytes: BYTES_PER_CHARACTER * maxText, maxText };
    const email = (await parseLargeEmails(client, [{ uid, beginning }], limits)).get(uid);
    if (!email) throw new MailError('refused', 'The server does not tell where the text of the email is.');
    return email;
  });
}

export async function partOf(
  { client, inFolder }: ImapConnection,
  path: string,
  uid: number,
  number: string,
  maxBytes: number,
): Promise<{ content: Uint8Array; mime: string }> {
  return inFolder(path, 'read', async () => {
    const row = found(await client.fetchOne(String(uid), { uid: true, bodyStructure: true }, { uid: true }), uid);
    const part = row.bodyStructure && [...partsOf(row.bodyStructure)].find((each) => each.number === number);
    if (!part) throw new MailError('refused', 'The email has no such part.');
    const encoding = encodingOf(part.node.encoding ?? '') ?? 'none';
    const limit = encoding === 'none' ? maxBytes : maxBytes * MAX_ENCODING + 1_024;
    if ((part.node.size ?? 0) > limit) throw tooLarge('attachment');
    const query = { uid: true, bodyParts: [{ key: number, start: 0, maxLength: limit + 1 }] };
    const encoded = found(await client.fetchOne(String(uid), query, { uid: true }), uid).bodyParts?.get(number);
    if (!encoded) throw gone();
    const content = Buffer.from(decodeTransfer(encoded, encoding));
    if (encoded.length > limit || content.length > maxBytes) throw tooLarge('attachment');
    return { content, mime: part.node.type };
  });
}

async function beginningOf(client: ImapConnection['client'], uid: number, maxLength: number): Promise<Buffer> {
  const query = { uid: true, source: { start: 0, maxLength } };
  const { source } = found(await client.fetchOne(String(uid), query, { uid: true }), uid);
  if (!source) throw gone();
  return source;
}

/** Another email can be the answer only if its UID is the same: flags of others may come unasked. */
function found<T extends { uid: number }>(row: T | false | undefined, uid: number): T {
  if (!row || row.uid !== uid) throw gone();
  return row;
}

function gone(): MailError {
  return new MailError('refused', 'The email is no longer in this folder.');
}

function tooLarge(what: 'email' | 'attachment'): MailError {
  return new MailError('refused', `The ${what} is too large.`);
}
