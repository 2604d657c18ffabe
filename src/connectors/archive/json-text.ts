import { entryText } from './entry-text.ts';

/** The value; undefined if the bytes are not JSON, even after repairing Telegram's errors. */
export function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(repairEscapes(entryText(bytes)));
  } catch {
    return undefined;
  }
}

/**
 * Telegram Desktop writes control characters as `\x0B`, which is invalid JSON. An escaped backslash starts no escape
 * sequence, so pairs are matched together.
 */
function repairEscapes(text: string): string {
  if (!text.includes('\\x')) return text;
  return text.replaceAll(/\\(?:x([\da-f]{2})|[\s\S])/gi, (whole, hex?: string) => (hex ? `\\u00${hex}` : whole));
}
