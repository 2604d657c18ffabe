import type { FileHandle } from 'node:fs/promises';
import { constants, lstat, open, realpath } from 'node:fs/promises';
import { basename, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { AppError } from '../../domain/errors.ts';
import { formatBytes } from '../../lib/format-bytes.ts';
import { quotedName } from '../../lib/shown-name.ts';
import { mimeOf } from './file-types.ts';

/** A file to send: one on this machine, or its content. */
export type AttachmentInput = { path: string; name?: string | undefined } | { name: string; content_base64: string };

export interface AttachmentToSend {
  name: string;
  mime: string;
  content: Uint8Array;
}

export interface AttachmentRules {
  /** Only files in this folder may be sent, and relative paths are below it. */
  folder: string;
  /** Relative paths are below this one, and any file may be sent: for the person at the command line. */
  person?: { workingDirectory: string };
}

const MAX_ATTACHMENTS = 50;
/** Of all attachments together; many servers refuse more than 25 MB, and encoding adds a third. */
export const MAX_BYTES = 25 * 1024 * 1024;
const FIELD = 'attachments';

/** Reads the files. Throws VALIDATION_ERROR, FORBIDDEN, NOT_FOUND or TOO_LARGE. */
export async function readAttachments(
  inputs: readonly AttachmentInput[],
  rules: AttachmentRules,
): Promise<readonly AttachmentToSend[]> {
  if (inputs.length > MAX_ATTACHMENTS) {
    throw new AppError('VALIDATION_ERROR', `An email can have at most ${MAX_ATTACHMENTS} attachments.`, {
      field: FIELD,
    });
  }
  const read: AttachmentToSend[] = [];
  let left = MAX_BYTES;
  for (const input of inputs) {
    const attachment = 'path' in input ? await readFile(input, rules, left) : decode(input, left);
    left -= attachment.content.byteLength;
    read.push(attachment);
  }
  return read;
}

/** Throws TOO_LARGE. */
export function checkSize(attachments: readonly AttachmentToSend[]): void {
  if (attachments.reduce((sum, { content }) => sum + content.byteLength, 0) > MAX_BYTES) throw tooLarge();
}

function decode(
  { name, content_base64: text }: Extract<AttachmentInput, { content_base64: string }>,
  maxBytes: number,
): AttachmentToSend {
  const bare = text.replaceAll(/\s/g, '');
  if (bare.length % 4 === 1 || !/^[A-Za-z\d+/]*={0,2}$/.test(bare)) {
    throw new AppError('VALIDATION_ERROR', `The content of ${quotedName(name)} is not base64.`, { field: FIELD });
  }
  const content = Buffer.from(bare, 'base64');
  if (content.byteLength > maxBytes) throw tooLarge();
  return { name, mime: mimeOf(name), content };
}

async function readFile(
  { path, name }: Extract<AttachmentInput, { path: string }>,
  rules: AttachmentRules,
  maxBytes: number,
): Promise<AttachmentToSend> {
  const file = await openAllowed(path, rules);
  try {
    const content = await contentOf(file, path, maxBytes);
    const shown = name ?? basename(path);
    return { name: shown, mime: mimeOf(shown), content };
  } finally {
    await file.close();
  }
}

/** Opens a file whose real place is allowed: links are followed, but not out of the folder. */
async function openAllowed(path: string, { folder, person }: AttachmentRules): Promise<FileHandle> {
  const given = resolve(person?.workingDirectory ?? folder, path);
  // Before anything is looked up: which files exist elsewhere is nobody's business.
  if (!person && !isWithin(given, folder)) throw outside(path, folder);
  const real = await realpath(given).catch(noFile(path));
  if (!person && !isWithin(real, await realpath(folder).catch(noFile(path)))) throw outside(path, folder);
  const before = await lstat(real).catch(noFile(path));
  // Opening a device or a pipe could already change something.
  if (!before.isFile()) throw notRegular(path);
  const file = await open(real, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(noFile(path));
  const opened = await file.stat();
  const after = await realpath(given).catch(() => undefined);
  if (opened.ino === before.ino && opened.dev === before.dev && after === real) return file;
  await file.close();
  throw new AppError('CONFLICT', `The file ${quotedName(path)} was replaced while it was opened.`, { field: FIELD });
}

async function contentOf(file: FileHandle, path: string, maxBytes: number): Promise<Buffer> {
  const { size } = await file.stat();
  if (size > maxBytes) throw tooLarge();
  const buffer = Buffer.allocUnsafe(size);
  let length = 0;
  while (length < size) {
    const { bytesRead } = await file.read(buffer, length, size - length, length);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  if (length === size) return buffer;
  throw new AppError('CONFLICT', `The file ${quotedName(path)} was changed while it was read.`, { field: FIELD });
}

function isWithin(path: string, folder: string): boolean {
  const between = relative(folder, path);
  return between !== '' && between !== '..' && !between.startsWith(`..${sep}`) && !isAbsolute(between);
}

function outside(path: string, folder: string): AppError {
  return new AppError('FORBIDDEN', `The file ${quotedName(path)} is not in the folder for attachments.`, {
    field: FIELD,
    hint: `Only files below ${join(folder, sep)} can be sent; the user can copy it there.`,
  });
}

function notRegular(path: string): AppError {
  return new AppError('VALIDATION_ERROR', `${quotedName(path)} is not a regular file.`, { field: FIELD });
}

function tooLarge(): AppError {
  return new AppError('TOO_LARGE', `The attachments are larger than ${formatBytes(MAX_BYTES)} together.`, {
    field: FIELD,
  });
}

function noFile(path: string): (cause: unknown) => never {
  return (cause) => {
    throw new AppError('NOT_FOUND', `There is no readable file ${quotedName(path)}.`, { field: FIELD, cause });
  };
}
