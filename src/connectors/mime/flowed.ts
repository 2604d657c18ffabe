/**
 * Text with `format=flowed` (RFC 3676): a line that ends with a space goes on in the next one of the same quotation depth.
 * With `delsp` that space is not part of the text.
 */
export function unflowed(text: string, deletesSpace: boolean): string {
  const output: string[] = [];
  let open: { depth: number; text: string } | undefined;
  for (const line of text.split('\n')) {
    const depth = quoteDepth(line);
    const unquoted = line.slice(depth);
    const content = unquoted.startsWith(' ') ? unquoted.slice(1) : unquoted;
    if (open && (open.depth !== depth || content === SIGNATURE)) {
      output.push(quoted(open));
      open = undefined;
    }
    const flows = content.endsWith(' ') && content !== SIGNATURE;
    const kept = flows && deletesSpace ? content.slice(0, -1) : content;
    open = { depth, text: (open?.text ?? '') + kept };
    if (!flows) {
      output.push(quoted(open));
      open = undefined;
    }
  }
  if (open) output.push(quoted(open));
  return output.join('\n');
}

const SIGNATURE = '-- ';
const QUOTE = 0x3e;

function quoteDepth(line: string): number {
  let depth = 0;
  while (line.charCodeAt(depth) === QUOTE) depth += 1;
  return depth;
}

function quoted({ depth, text }: { depth: number; text: string }): string {
  return depth === 0 ? text : `${'>'.repeat(depth)} ${text}`;
}
