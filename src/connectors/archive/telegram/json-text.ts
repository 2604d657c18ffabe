/**
 * Telegram Desktop writes control characters as `\x0B`, which is not JSON. A backslash that is itself escaped begins no
 * escape, so pairs are taken together.
 */
export function repairEscapes(text: string): string {
  if (!text.includes('\\x')) return text;
  return text.replaceAll(/\\(?:x([\da-f]{2})|[\s\S])/gi, (whole, hex?: string) => (hex ? `\\u00${hex}` : whole));
}

/** The value; undefined where the bytes are not JSON even then. */
export function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(repairEscapes(bytes.toString('utf8')));
  } catch {
    return undefined;
  }
}
