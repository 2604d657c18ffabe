import { readFileSync, statSync } from 'node:fs';
import { AppError } from '../domain/errors.ts';

/** Parsing a larger file would take seconds. */
const MOST_BYTES = 131_072;

/** The text of a small file; nothing when there is none. What is not a file, or not text, is refused before it is read. */
export function readSmallText(path: string): string | undefined {
  const bytes = readSmallFile(path);
  if (bytes === undefined) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new AppError('VALIDATION_ERROR', `${path} is not text in UTF-8.`, { cause });
  }
}

function readSmallFile(path: string): Buffer | undefined {
  try {
    const stat = statSync(path);
    // Anything else (a folder, a pipe, a device) may never end.
    if (!stat.isFile()) throw new AppError('VALIDATION_ERROR', `${path} is not a file.`);
    if (stat.size > MOST_BYTES) {
      throw new AppError('VALIDATION_ERROR', `${path} is larger than ${MOST_BYTES / 1024} KiB, the most that is read.`);
    }
    return readFileSync(path);
  } catch (cause) {
    if (cause instanceof AppError) throw cause;
    const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
    if (code === 'ENOENT') return undefined;
    const reason =
      code === 'EACCES' || code === 'EPERM' ? 'the permission to read it is missing' : 'the system refused';
    throw new AppError('VALIDATION_ERROR', `${path} cannot be read: ${reason}.`, { cause });
  }
}
