// Characters that JSON leaves as they are and that some readers of lines take for a line break: Node's readline, Python's
// splitlines, and whatever is built on them. Whoever writes one into a message would cut the line in two.
const OTHER_LINE_BREAKS = /[\u0085\u2028\u2029]/g;

/** JSON that is one line to every reader; it still reads as the same value. */
export function jsonLine(json: string): string {
  return json.replace(OTHER_LINE_BREAKS, (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
