import type { ParsedEmail } from '../../../domain/email.ts';

/** Temporary: replaced by the parser. */
export function parseEmail(bytes: Uint8Array, { isTruncated }: { isTruncated: boolean }): ParsedEmail {
  const raw = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');
  const split = raw.search(/\r?\n\r?\n/);
  const head = (split < 0 ? raw : raw.slice(0, split)).replace(/\r?\n[ \t]+/g, ' ');
  const of = (name: string) => new RegExp(`^${name}: (.*)$`, 'im').exec(head)?.[1]?.trim();
  const id = of('Message-ID')?.replace(/^<|>$/g, '');
  return {
    ...(id === undefined ? {} : { rfcMessageId: id }),
    references: [],
    subject: of('Subject') ?? '',
    from: [],
    replyTo: [],
    to: [],
    cc: [],
    bcc: [],
    text: split < 0 || of('Content-Type')?.startsWith('multipart') ? '' : raw.slice(split).trim(),
    attachments: [],
    isAutomatic: false,
    problems: isTruncated ? ['Only the beginning was read.'] : [],
  };
}
