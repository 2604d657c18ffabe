import PostalMime, { type Email } from 'postal-mime';

export type { Email } from 'postal-mime';

const LIMITS = {
  maxNestingDepth: 64,
  maxHeadersSize: 2 * 1024 * 1024,
  /** An attached email is parsed as a part; emails nested deeper are attachments. */
  maxRfc822NestingDepth: 3,
};

/** The parts of an email; undefined if it is nested too deeply or has too many headers. */
export async function parseLetter(bytes: Uint8Array<ArrayBuffer>): Promise<Email | undefined> {
  try {
    // The buffer belongs to this email, so it need not be copied.
    return await PostalMime.parse(bytes.byteLength === bytes.buffer.byteLength ? bytes.buffer : bytes, LIMITS);
  } catch {
    return undefined;
  }
}
