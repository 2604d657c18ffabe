import { join } from 'node:path';
import { AppError } from '../../domain/errors.ts';
import type { StoredArchive, StoredEntry } from './decoded-archive.ts';
import { whereIn } from './importer.ts';
import type { LeftOut } from './open-archive.ts';
import { isZip, openZip, type ZipLimits } from './zip.ts';

const ZIP_NAME = /^[^/]+\.zip$/i;
/** Each stays open until the import ends. */
const MAX_ZIPS = 500;

/**
 * A folder with what is in its zips, as WhatsApp and others export each chat: they are read like folders of the same
 * name. Those in folders below may be files that somebody sent.
 */
export async function withZips(folder: StoredArchive, limits: ZipLimits): Promise<StoredArchive> {
  const entries: StoredEntry[] = [];
  const leftOut: LeftOut[] = [...folder.leftOut];
  const zips: StoredArchive[] = [];
  const failures: AppError[] = [];
  const close = async () => {
    await Promise.all([folder, ...zips].map((archive) => archive.close()));
  };

  async function add(entry: StoredEntry): Promise<void> {
    const path = join(folder.path, entry.name);
    if (!ZIP_NAME.test(entry.name) || !(await isZip(path))) return void entries.push(entry);
    if (zips.length === MAX_ZIPS) throw tooManyZips(folder.path);
    const zip = await openZip(path, { ...limits, entries: limits.entries - entries.length });
    zips.push(zip);
    for (const inner of zip.entries) entries.push({ ...inner, name: `${entry.name}/${inner.name}` });
    for (const { why, where } of zip.leftOut) leftOut.push({ why, where: whereIn(`${entry.name}/${where}`) });
  }

  try {
    for (const entry of folder.entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
      await add(entry).catch((error: unknown) => {
        if (!(error instanceof AppError) || zips.length === MAX_ZIPS) throw error;
        failures.push(error);
        leftOut.push({ why: error.code === 'TOO_LARGE' ? 'harmful' : 'unreadable', where: whereIn(entry.name) });
      });
    }
    if (entries.length === 0 && failures[0]) throw failures[0];
    return { ...folder, entries, leftOut, close };
  } catch (error) {
    await close();
    throw error;
  }
}

function tooManyZips(path: string): AppError {
  return new AppError('TOO_LARGE', `The folder ${path} holds more than ${MAX_ZIPS} zips.`, {
    field: 'path',
    hint: 'Import them in parts, from several folders.',
  });
}
