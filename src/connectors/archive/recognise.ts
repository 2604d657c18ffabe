import type { ArchiveFormat } from '../../domain/archive.ts';
import { AppError } from '../../domain/errors.ts';
import { beginningOf } from './beginning.ts';
import { whereIn } from './importer.ts';
import type { ArchiveEntry, ArchiveReader } from './open-archive.ts';
import { isPacked } from './packed.ts';

const TITLES: Record<ArchiveFormat, string> = {
  telegram: 'a Telegram export',
  whatsapp: 'a WhatsApp export',
  slack: 'a Slack export',
  discord: 'a DiscordChatExporter file',
  irc: 'an IRC log',
  mbox: 'an mbox file',
};

/** Bytes of a file to inspect. */
const GLANCE_BYTES = 4_096;
/** Number of files to inspect. */
const GLANCES = 5;

/** The error of an importer that finds no data of its format: it names the likely format. */
export async function wrongFormat(archive: ArchiveReader, format: ArchiveFormat): Promise<AppError> {
  const looksLike = await recognise(archive);
  const message = `${archive.path} is not ${TITLES[format]}.`;
  if (looksLike === undefined || looksLike === format) {
    const packed = archive.entries.find(isPacked);
    const hint =
      packed && `It holds what is packed in a way that is not read, such as ${whereIn(packed.name)}: unpack it.`;
    return new AppError('INVALID_PARAMETER', message, { field: 'path', ...(hint === undefined ? {} : { hint }) });
  }
  return new AppError('INVALID_PARAMETER', message, {
    field: 'path',
    hint: `It looks like ${TITLES[looksLike]}: switchboard chat import ${looksLike} …`,
  });
}

/** The likely format of an export, from file names and file beginnings. */
export async function recognise({ entries }: ArchiveReader): Promise<ArchiveFormat | undefined> {
  const names = new Set(entries.map(({ name }) => name.slice(name.lastIndexOf('/') + 1)));
  if (names.has('users.json') && names.has('channels.json')) return 'slack';
  if (names.has('result.json') || names.has('messages.html')) return 'telegram';
  if (names.has('_chat.txt')) return 'whatsapp';
  for (const entry of entries.filter(mayHoldMessages).slice(0, GLANCES)) {
    const format = formatOf((await beginningOf(entry, GLANCE_BYTES)).toString('utf8'));
    if (format) return format;
  }
  return undefined;
}

function mayHoldMessages({ name }: ArchiveEntry): boolean {
  return /\.(json|txt|log|mbox|mbx|eml)$/i.test(name) || !name.includes('.');
}

const MARKS: readonly (readonly [ArchiveFormat, RegExp])[] = [
  ['discord', /^\uFEFF?\s*\{\s*"guild"\s*:/],
  ['telegram', /^\uFEFF?\s*\{[\s\S]*?"(about|name|type|messages|personal_information|chats)"\s*:/],
  ['mbox', /^\uFEFF?(From .*\d\d:\d\d|(Return-Path|Received|Message-ID|Delivered-To): )/i],
  [
    'irc',
    /^(\[?[\d:.\-T /]{4,30}\]?\s+(<[^\s<>]{1,40}> |\* \S|\*\*\* |-!- |=== )|--- Log opened|\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\t)/m,
  ],
  ['whatsapp', /^\u200E?\[?[\p{Nd}]{1,4}[./-][\p{Nd}]{1,2}[./-][\p{Nd}]{1,4}.{1,30}(\]| - )/mu],
];

function formatOf(beginning: string): ArchiveFormat | undefined {
  return MARKS.find(([, mark]) => mark.test(beginning))?.[0];
}
