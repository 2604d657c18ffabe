import type { ParsedLine } from './line.ts';

/** Lines that belong together (IRCv3 batch). */
export interface LineBatch {
  type: string;
  params: readonly string[];
  label?: string;
  lines: readonly ParsedLine[];
}

interface Open extends LineBatch {
  lines: ParsedLine[];
  outer?: string;
}

/** Limits against servers that open too many batches or send too large ones. */
const MAX_OPEN = 100;
const MAX_LINES = 20_000;

/**
 * Assembles batches. Returns lines that belong to no batch, and complete batches; a nested batch becomes part of the
 * outer one.
 */
export function createBatches() {
  const open = new Map<string, Open>();

  function begin(line: ParsedLine, id: string): void {
    if (open.size >= MAX_OPEN) throw new Error('the server opened too many batches');
    const [, type = '', ...params] = line.params;
    const { label, batch: outer } = line.tags;
    open.set(id, {
      type,
      params,
      lines: [],
      ...(label === undefined ? {} : { label }),
      ...(outer === undefined ? {} : { outer }),
    });
  }

  function end(id: string): LineBatch | undefined {
    const batch = open.get(id);
    if (!batch) return undefined;
    open.delete(id);
    const outer = batch.outer === undefined ? undefined : open.get(batch.outer);
    if (!outer) return batch;
    for (const line of batch.lines) put(outer, line);
    return undefined;
  }

  function put(batch: Open, line: ParsedLine): void {
    if (batch.lines.length >= MAX_LINES) throw new Error('the server sent a batch without an end');
    batch.lines.push(line);
  }

  return {
    take(line: ParsedLine): ParsedLine | LineBatch | undefined {
      if (line.command === 'BATCH') {
        const [sign = ''] = line.params;
        if (sign.startsWith('+')) begin(line, sign.slice(1));
        return sign.startsWith('-') ? end(sign.slice(1)) : undefined;
      }
      const batch = line.tags.batch === undefined ? undefined : open.get(line.tags.batch);
      if (!batch) return line;
      put(batch, line);
      return undefined;
    },
  };
}
