import { AppError } from '../../../domain/errors.ts';
import { beginningOf } from '../beginning.ts';
import type { ArchiveEntry, ArchiveReader } from '../open-archive.ts';
import { recognise } from '../recognise.ts';

/** The formats that the exporter writes besides JSON, by the endings of their files. */
const OTHERS: readonly { name: string; file: RegExp; beginning?: RegExp }[] = [
  { name: 'HTML', file: /\.html?$/i },
  { name: 'CSV', file: /\.csv$/i, beginning: /^\uFEFF?"?Author/i },
  { name: 'plain text', file: /\.txt$/i, beginning: /^\uFEFF?=+\r?\nGuild: / },
];
const GLANCES = 20;
const GLANCE_BYTES = 1_024;

/** The error for an export in a format from which not everything could be read; undefined if it is none. */
export async function otherOutput(archive: ArchiveReader): Promise<AppError | undefined> {
  const looksLike = await recognise(archive);
  if (looksLike === 'telegram' || looksLike === 'slack') return undefined;
  for (const { name, file, beginning } of OTHERS) {
    const files = archive.entries.filter((entry) => file.test(entry.name)).slice(0, GLANCES);
    if (await anyBegins(files, beginning)) return notJson(archive, name);
  }
  return undefined;
}

async function anyBegins(files: readonly ArchiveEntry[], beginning: RegExp | undefined): Promise<boolean> {
  for (const file of files) {
    if (!beginning || beginning.test((await beginningOf(file, GLANCE_BYTES)).toString('utf8'))) return true;
  }
  return false;
}

function notJson({ path }: ArchiveReader, name: string): AppError {
  return new AppError('INVALID_PARAMETER', `${path} is an export as ${name}, which does not hold everything.`, {
    field: 'path',
    hint: 'In DiscordChatExporter choose JSON as the format (--format Json) and export again; then give that file or folder.',
  });
}
