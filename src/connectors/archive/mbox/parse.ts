import PostalMime, { type Email } from 'postal-mime';

export type { Email } from 'postal-mime';

const LIMITS = {
  maxNestingDepth: 64,
  maxHeadersSize: 2 * 1024 * 1024,
  /** A letter within a letter is read as a part of it; deeper ones are attachments. */
  maxRfc822NestingDepth: 3,
};

/** The parts of a letter; undefined where they are nested or headed beyond all reason. */
export async function parseLetter(bytes: Uint8Array<ArrayBuffer>): Promise<Email | undefined> {
  try {
    // The whole buffer is the letter's own, so that it need not be copied.
    return await PostalMime.parse(bytes.byteLength === bytes.buffer.byteLength ? bytes.buffer : bytes, LIMITS);
  } catch {
    return undefined;
  }
}
