import { randomBytes, type ScryptOptions, scrypt } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { AppError } from '../domain/errors.ts';

export type EnvironmentVariables = Readonly<Record<string, string | undefined>>;

/** Parameters of the key derivation. They are stored, because the same key must be derived again. */
export interface Derivation {
  salt: string;
  n: number;
  r: number;
  p: number;
}

const VARIABLE = 'SWITCHBOARD_PASSPHRASE';
const FILE_VARIABLE = 'SWITCHBOARD_PASSPHRASE_FILE';
const MIN_LENGTH = 8;
const KEY_BYTES = 32;
const SALT_BYTES = 16;
const COST = { n: 2 ** 17, r: 8, p: 1 };
/** Far above our own parameters; it keeps a manipulated file from exhausting the memory. */
const MAX_MEMORY_BYTES = 2 ** 30;

export function hasPassphrase(env: EnvironmentVariables): boolean {
  return env[VARIABLE] !== undefined || env[FILE_VARIABLE] !== undefined;
}

export async function readPassphrase(env: EnvironmentVariables): Promise<string> {
  const [direct, file] = [env[VARIABLE], env[FILE_VARIABLE]];
  if (direct !== undefined && file !== undefined) {
    throw new AppError('VALIDATION_ERROR', `${VARIABLE} and ${FILE_VARIABLE} are both set.`, {
      hint: 'Keep one of them.',
    });
  }
  if (direct === undefined && file === undefined) {
    throw new AppError('SERVICE_UNAVAILABLE', 'The secrets are encrypted with a passphrase, and none was given.', {
      hint: `Set ${VARIABLE} or ${FILE_VARIABLE}.`,
    });
  }
  const passphrase = direct ?? (await readPassphraseFile(file ?? ''));
  if (passphrase.length >= MIN_LENGTH) return passphrase;
  throw new AppError('VALIDATION_ERROR', `The passphrase has fewer than ${MIN_LENGTH} characters.`, {
    field: direct === undefined ? FILE_VARIABLE : VARIABLE,
  });
}

/** The mode is not checked: containers and service managers provide such files with their own modes. */
async function readPassphraseFile(path: string): Promise<string> {
  try {
    return (await readFile(path, 'utf8')).replace(/\r?\n$/, '');
  } catch (cause) {
    throw new AppError('VALIDATION_ERROR', `The file that ${FILE_VARIABLE} names cannot be read.`, {
      field: FILE_VARIABLE,
      cause,
    });
  }
}

export function newDerivation(): Derivation {
  return { salt: randomBytes(SALT_BYTES).toString('base64'), ...COST };
}

export function isDerivation(value: object): value is Derivation {
  const { salt, n, r, p } = value as Partial<Record<keyof Derivation, unknown>>;
  if (typeof salt !== 'string' || ![n, r, p].every(Number.isSafeInteger)) return false;
  return memoryOf(value as Derivation) <= MAX_MEMORY_BYTES;
}

export function deriveKey(passphrase: string, derivation: Derivation): Promise<Buffer> {
  const { salt, n, r, p } = derivation;
  const options: ScryptOptions = { N: n, r, p, maxmem: 2 * memoryOf(derivation) };
  return new Promise((resolve, reject) => {
    scrypt(passphrase.normalize('NFKC'), Buffer.from(salt, 'base64'), KEY_BYTES, options, (error, key) =>
      error ? reject(error) : resolve(key),
    );
  });
}

function memoryOf({ n, r, p }: Derivation): number {
  return 128 * n * r * p;
}
