/** The value; undefined where the bytes are not JSON, even with the mistakes of Telegram mended. */
export function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(repairEscapes(bytes.toString('utf8')));
  } catch {
    return undefined;
  }
}

/**
 * Telegram Desktop writes control characters as `\x0B`, which is not JSON. A backslash that is itself escaped begins no
 * escape, so pairs are taken together.
 */
function repairEscapes(text: string): string {
  if (!text.includes('\\x')) return text;
  return text.replaceAll(/\\(?:x([\da-f]{2})|[\s\S])/gi, (whole, hex?: string) => (hex ? `\\u00${hex}` : whole));
}
