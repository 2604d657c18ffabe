import { AppError } from '../domain/errors.ts';
import type { Brand } from '../domain/ids.ts';

/** Owner of secrets: `shared`, or one server, source or account. Each group has its own file. */
export type Group = Brand<string, 'SecretGroup'>;

const KINDS = ['server', 'oauth', 'source', 'account'];
/** A byte may take three characters in the file name, which is limited to 255. */
const MAX_ID_BYTES = 64;
const MAX_VALUE_BYTES = 65_536;
const NAME = /^[A-Za-z_][A-Za-z0-9_.-]{0,127}$/;
const SUFFIX = '.json';

export function parseGroup(text: string): Group {
  const slash = text.indexOf('/');
  const id = text.slice(slash + 1);
  if (text === 'shared') return text as Group;
  if (slash === -1 || !KINDS.includes(text.slice(0, slash))) {
    throw new AppError('VALIDATION_ERROR', 'A group of secrets is "shared" or a kind and an id: "server/github".', {
      field: 'group',
      hint: `Kinds are ${KINDS.join(', ')}.`,
    });
  }
  if (id === '' || Buffer.byteLength(id) > MAX_ID_BYTES || !id.isWellFormed() || /\p{Cc}/u.test(id)) {
    throw new AppError(
      'VALIDATION_ERROR',
      `The id in a group has 1 to ${MAX_ID_BYTES} bytes and no control character.`,
      {
        field: 'group',
      },
    );
  }
  return text as Group;
}

export function isSecretName(name: string): boolean {
  return NAME.test(name);
}

export function assertSecretName(name: string): void {
  if (isSecretName(name)) return;
  throw new AppError(
    'VALIDATION_ERROR',
    'The name of a secret begins with a letter or _ and has up to 128 letters, digits and . _ - characters.',
    { field: 'name' },
  );
}

export function assertSecretValue(value: string): void {
  if (value === '') throw new AppError('VALIDATION_ERROR', 'The value of a secret is empty.', { field: 'value' });
  if (!value.isWellFormed()) {
    throw new AppError('VALIDATION_ERROR', 'The value of a secret is not valid Unicode.', { field: 'value' });
  }
  if (Buffer.byteLength(value) > MAX_VALUE_BYTES) {
    throw new AppError('TOO_LARGE', `The value of a secret has more than ${MAX_VALUE_BYTES} bytes.`, {
      field: 'value',
    });
  }
}

/**
 * Escapes everything but lower-case letters, digits and dashes. So the name cannot contain a path, and `server/A` and
 * `server/a` are two files on case-insensitive file systems too.
 */
export function fileOfGroup(group: Group): string {
  const encoded = Array.from(Buffer.from(group), (byte) => {
    const character = String.fromCharCode(byte);
    return /[a-z0-9-]/.test(character) ? character : `%${byte.toString(16).padStart(2, '0')}`;
  });
  return encoded.join('') + SUFFIX;
}

/** The group of a file; undefined if it is another file. */
export function groupOfFile(file: string): Group | undefined {
  try {
    const group = parseGroup(decodeURIComponent(file.slice(0, -SUFFIX.length)));
    return fileOfGroup(group) === file ? group : undefined;
  } catch {
    return undefined;
  }
}
