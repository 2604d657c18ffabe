import { beginningOf } from '../beginning.ts';
import { type ImportItem, whereIn } from '../importer.ts';
import type { ArchiveEntry, ArchiveReader } from '../open-archive.ts';
import { isPacked } from '../packed.ts';
import { createSplitter } from './split.ts';

/** Mail programs name mbox files after the folder, with or without an extension. */
const MAIL_NAME = /(?:^|\/)[^/.]+$|\.(?:mbox|mbx|eml)$/i;
/** Of one email: `.eml`, MH (numbers), and Maildir (`cur/1718272800.M1P1.host:2,S`). */
const EMAIL_NAME = /\.eml$|(?:^|\/)\d+$|(?:^|\/)(?:cur|new)\/\d[^/]*$/i;
/** What is never text. */
const OTHER_NAME = /\.(?:jpe?g|png|gif|webp|mp[34]|mov|pdf|html?|css|js|db|sqlite3?|msf|dat|idx|pck)$/i;
/** Mailing list programs write these. */
const TEXT_NAME = /\.te?xt$/i;
const GLANCE_BYTES = 16 * 1024;

/** The mail in an archive in the order of its dates, and files that look like it and are none. */
export async function mailFiles({
  kind,
  entries,
}: ArchiveReader): Promise<{ files: readonly ArchiveEntry[]; skipped: readonly ImportItem[] }> {
  const files: ArchiveEntry[] = [];
  const skipped: ImportItem[] = [];
  for (const entry of entries) {
    if (kind === 'file' || MAIL_NAME.test(entry.name) || EMAIL_NAME.test(entry.name)) files.push(entry);
    else if (isPacked(entry)) skipped.push({ kind: 'skipped', why: 'packed', where: whereIn(entry.name) });
    else if (OTHER_NAME.test(entry.name)) continue;
    else if (await isMbox(entry)) files.push(entry);
    else if (TEXT_NAME.test(entry.name))
      skipped.push({ kind: 'skipped', why: 'not_a_chat', where: whereIn(entry.name) });
  }
  return { files: files.toSorted(byDate), skipped };
}

/** Whether the name says that the file is one email. */
export function isOneEmail({ name }: ArchiveEntry): boolean {
  return EMAIL_NAME.test(name);
}

/** Whether an email begins in the first lines, after a `From ` line. */
async function isMbox(entry: ArchiveEntry): Promise<boolean> {
  const head = await beginningOf(entry, GLANCE_BYTES);
  const splitter = createSplitter(GLANCE_BYTES);
  const [first] = [...splitter.push(head), ...splitter.end()];
  return first !== undefined && first.envelope !== '' && splitter.preamble() === 0;
}

/** `2007-June.txt` is before `2007-July.txt`; a folder stays together. */
function byDate(a: ArchiveEntry, b: ArchiveEntry): number {
  const [first, second] = [keyOf(a.name), keyOf(b.name)];
  return first === second ? 0 : first < second ? -1 : 1;
}

function keyOf(name: string): string {
  const slash = name.lastIndexOf('/') + 1;
  return `${name.slice(0, slash)}${dateOf(name.slice(slash)) ?? ''}\0${name}`;
}

const MONTHS = [
  'january',
  'february',
  'march',
  'april',
  'may',
  'june',
  'july',
  'august',
  'september',
  'october',
  'november',
  'december',
];

/** How Mailman names the files of a year, a quarter, a month, a week and a day; perhaps after the name of the list. */
function dateOf(file: string): string | undefined {
  const [, year, month = ''] = /(?:^|[^\d])(\d{4})-([A-Za-z]{3,9})\b/.exec(file) ?? [];
  const number = month.length >= 3 ? MONTHS.findIndex((each) => each.startsWith(month.toLowerCase())) : -1;
  if (year !== undefined && number >= 0) return `${year}${String(number + 1).padStart(2, '0')}`;
  const [, quarterYear, quarter] = /(?:^|[^\d])(\d{4})q([1-4])\b/i.exec(file) ?? [];
  if (quarterYear !== undefined) return `${quarterYear}${String(Number(quarter) * 3 - 2).padStart(2, '0')}`;
  const [, ...digits] = /(?:^|[^\d])((?:19|20)\d\d)[-_.]?(0[1-9]|1[0-2])?[-_.]?([0-3]\d)?(?!\d)/.exec(file) ?? [];
  return digits[0] === undefined ? undefined : digits.join('');
}
