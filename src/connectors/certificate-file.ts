import { readFile } from 'node:fs/promises';
import { rejected } from './outcome-error.ts';

/** The certificates of a `ca` setting. */
export async function readCertificate(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (cause) {
    throw rejected('The file with the certificate to trust cannot be read.', { cause });
  }
}
