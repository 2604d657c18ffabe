// Characters that JSON does not escape and that some readers treat as line breaks: Node's readline, Python's
// splitlines. In a message they would split a line.
const OTHER_LINE_BREAKS = /[\u0085\u2028\u2029]/g;

/** JSON that is one line to every reader; it still reads as the same value. */
export function jsonLine(json: string): string {
  return json.replace(OTHER_LINE_BREAKS, (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
