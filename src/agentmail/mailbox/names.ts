import { AppError } from '../../domain/errors.ts';

const SUFFIX = '.jsonl';
/** Most file systems allow 255 bytes. */
const LONGEST_NAME = 255 - SUFFIX.length;

/** The file name of an agent's mailbox. A name that cannot have its own file is refused. */
export function mailboxFileOf(name: string): string {
  const fault = faultOf(name);
  if (fault === undefined) return `${name}${SUFFIX}`;
  throw new AppError('VALIDATION_ERROR', `no mailbox can have the name ${JSON.stringify(shortened(name))}: ${fault}`, {
    field: 'recipient',
    hint: 'Rename the tmux window.',
  });
}

/** The agent of a mailbox file; undefined for any other file. */
export function nameOfMailboxFile(file: string): string | undefined {
  if (!file.endsWith(SUFFIX)) return undefined;
  const name = file.slice(0, -SUFFIX.length);
  return faultOf(name) === undefined ? name : undefined;
}

function faultOf(name: string): string | undefined {
  if (name === '') return 'it is empty';
  if (name.includes('/')) return 'it contains a slash';
  if (name.includes('\0')) return 'it contains a NUL character';
  if (name === '.' || name.startsWith('..')) return 'it would name a folder';
  if (!name.isWellFormed()) return 'it is not valid Unicode';
  if (Buffer.byteLength(name) > LONGEST_NAME) return `it is longer than ${LONGEST_NAME} bytes`;
  return undefined;
}

function shortened(name: string): string {
  return name.length > 60 ? `${name.slice(0, 60)}…` : name;
}
