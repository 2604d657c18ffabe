import { close, fstatSync, read } from 'node:fs';
import { promisify } from 'node:util';
import { createLineCutter } from '../../lib/lines.ts';
import { beginsWithId, parseLine } from '../mailbox/line.ts';
import { MAX_MAIL_FILE, rootOf } from '../mailbox/locked-file.ts';
import type { IndexedLetter, LetterIndex, MailboxMark } from '../ports.ts';
import { openRepositoryFile } from '../repository/repository-file.ts';
import { toIndexed } from './indexed-letter.ts';

/** In the thread pool, because the disk may be slow. */
const readFrom = promisify(read);
const closeLater = promisify(close);
const CHUNK_BYTES = 256 * 1024;
/** A longer line is not a letter. */
const LONGEST_LINE = 16 * 1024 * 1024;

export interface ScanOptions {
  repository: string;
  index: Pick<LetterIndex, 'add' | 'mark'>;
  /** Stops after the current chunk. */
  stop: AbortSignal;
}

/**
 * Indexes the letters of a mailbox after the mark, or all if another program has rewritten the file. Takes
 * no lock: a line that is being written is read the next time.
 */
export async function scanMailbox(path: string, { repository, index, stop }: ScanOptions): Promise<number> {
  const file = openRepositoryFile(path, { within: rootOf(path), maxBytes: MAX_MAIL_FILE });
  if (file === undefined) return 0;
  try {
    const mark = await index.mark(path);
    let position = mark && (await leadsTo(file, mark)) ? mark.bytes : 0;
    let end = position;
    let count = 0;
    let letters: IndexedLetter[] = [];
    let last: MailboxMark | undefined;
    const lines = createLineCutter(
      (line) => {
        const letter = parseLine(withoutEnd(line));
        if (letter) {
          letters.push(toIndexed(repository, letter));
          last = { path, bytes: end + line.length, lineStart: end, lastId: letter.id };
        }
        end += line.length;
      },
      {
        holdUpTo: LONGEST_LINE,
        onPiece: (piece) => {
          end += piece.length;
        },
      },
    );
    while (!stop.aborted) {
      const { bytesRead, buffer } = await readFrom(file, { buffer: Buffer.alloc(CHUNK_BYTES), position });
      if (bytesRead === 0) break;
      position += bytesRead;
      lines.push(buffer.subarray(0, bytesRead));
      if (letters.length === 0) continue;
      await index.add(letters, last);
      count += letters.length;
      letters = [];
    }
    return count;
  } finally {
    await closeLater(file);
  }
}

/** Whether the line that was read last is still at its position: then everything before it is unchanged too. */
async function leadsTo(file: number, { lineStart, lastId, bytes }: MailboxMark): Promise<boolean> {
  const { size } = fstatSync(file);
  if (size < bytes) return false;
  const length = Math.min(bytes - lineStart, 1024);
  const { bytesRead, buffer } = await readFrom(file, { buffer: Buffer.alloc(length), position: lineStart });
  return beginsWithId(buffer.subarray(0, bytesRead), lastId);
}

function withoutEnd(line: Buffer): Buffer {
  return line.at(-1) === 0x0a ? line.subarray(0, -1) : line;
}
