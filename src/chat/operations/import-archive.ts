import { resolve } from 'node:path';
import { z } from 'zod';
import { ARCHIVE_FORMATS, type ArchiveFormat, DATE_ORDERS } from '../../domain/archive.ts';
import { AppError } from '../../domain/errors.ts';
import type { Clock } from '../../lib/clock.ts';
import { formatBytes } from '../../lib/format-bytes.ts';
import { isTimeZone, machineTimeZone } from '../../lib/local-time.ts';
import { visible } from '../../lib/visible.ts';
import { type OperationContext, operation } from '../../operation.ts';
import type { Imports } from '../import/imports.ts';
import type { SourceRepository } from '../ports.ts';
import type { Sources } from '../sources.ts';

export interface ImportParts {
  sources: Sources;
  sourceRepository: SourceRepository;
  imports: Pick<Imports, 'run'>;
  clock: Clock;
  /** The list of sources has changed. */
  reloadSources(): Promise<void>;
}

const NAMES: Record<ArchiveFormat, string> = {
  telegram: 'Telegram archive',
  whatsapp: 'WhatsApp archive',
  slack: 'Slack archive',
  discord: 'Discord archive',
  irc: 'IRC archive',
  mbox: 'Mail archive',
};

const PATTERN = z.string().min(1).max(300);
const MEGABYTE = 1024 * 1024;
const KIND = 'archive';
const ID = /^[a-z0-9]+(?:[_-][a-z0-9]+)*$/;
/** Ids with another meaning. */
const RESERVED: ReadonlySet<string> = new Set(['demo', 'agentmail', 'human']);
/** For exports of many gigabytes; the caller sees the progress. */
const DEADLINE_MS = 24 * 3_600_000;

export const importArchive = operation({
  cli: {
    path: 'chat import',
    positionals: ['kind', 'path'],
    examples: [
      'switchboard chat import telegram ~/Downloads/ChatExport/result.json',
      'switchboard chat import whatsapp "WhatsApp Chat with Alice.zip" --time-zone Europe/Helsinki --date-order dmy',
      "switchboard chat import irc chat.log --format '{date} {time} <{nick}> {text}' --chat '#chat'",
    ],
    topics: [
      {
        heading: 'Patterns of --format',
        entries: [
          ['{date} {time}', 'date and time; a.m., p.m. and an offset to UTC may follow a time'],
          ['{unixtime}', 'seconds or milliseconds since 1970'],
          ['{nick} {channel}', 'sender, and channel if a log holds several'],
          ['{text} {action}', 'the rest of the line: a message, or what is done with /me'],
          ['{any}', 'skipped'],
          ['\\t', 'a tab; \\{ and \\} are braces, and a space is one or more spaces'],
        ],
      },
    ],
    failed: ({ unread }) => unread.count > 0,
  },
  kind: 'command',
  effect: 'writes',
  right: 'manage',
  idempotent: true,
  deadlineMs: DEADLINE_MS,
  description: 'Imports the export of another program. Repeating it adds only new messages.',
  input: z.strictObject({
    kind: z.enum(ARCHIVE_FORMATS).describe('Program or format of the export.'),
    path: z.string().min(1).meta({ format: 'path', description: 'The file, folder or zip of the export.' }),
    source: z
      .string()
      .regex(ID, 'must be small letters and digits, with - or _ between them')
      .max(100)
      .refine((id) => !RESERVED.has(id), 'is an id that Switchboard uses itself')
      .optional()
      .describe('Id of the source; default: the name of the format.'),
    name: z.string().min(1).max(200).optional().describe('Display name of a new source.'),
    time_zone: z
      .string()
      .refine(isTimeZone, 'must be a time zone like Europe/Helsinki')
      .optional()
      .describe('Zone of times that have none; default: the zone of this machine.'),
    date_order: z.enum(DATE_ORDERS).optional().describe('Order of dates like 3/4/24, if it cannot be detected.'),
    format: z
      .union([PATTERN, z.array(PATTERN).min(1).max(10)])
      .optional()
      .describe('How lines of an IRC log are written, if its format is not known.'),
    chat: z.string().min(1).max(500).optional().describe('Name of the chat, if the export is a single chat.'),
    me: z.string().min(1).max(500).optional().describe('Your own name or id in the export.'),
    max_unpacked: z
      .int()
      .min(1)
      .max(10_000_000)
      .optional()
      .describe('What a zip may unpack to, in MB; default: 16384, and at most a hundred times its own size.'),
  }),
  output: z.object({
    source: z.string(),
    format: z.string(),
    added: z.int(),
    changed: z.int(),
    known: z.int(),
    chats: z.int(),
    skipped: z.array(z.object({ reason: z.string(), count: z.int(), examples: z.array(z.string()) })),
    unread: z
      .object({ count: z.int(), places: z.array(z.string()) })
      .describe('What could not be read: how many entries, and where the first are.'),
    assumed: z
      .object({ time_zone: z.string().optional(), date_order: z.string().optional(), clock: z.string().optional() })
      .describe('Assumptions that were made.'),
  }),
  async run(
    { kind: format, path, source = format, name, format: lines, ...options },
    context: OperationContext & ImportParts,
  ) {
    if (lines !== undefined && format !== 'irc') throw onlyForLogs();
    const { imports, origin, signal, progress } = context;
    const isNew = await isNewSource(source, format, context);
    const {
      time_zone: timeZone = machineTimeZone(),
      date_order: dateOrder,
      chat,
      me,
      max_unpacked: maxUnpacked,
    } = options;
    let hasBegun = false;
    const running = imports.run(
      {
        format,
        path: resolve(origin?.cwd ?? '/', path),
        source,
        timeZone,
        ...(dateOrder === undefined ? {} : { dateOrder }),
        ...(lines === undefined ? {} : { lineFormats: [lines].flat() }),
        ...(chat === undefined ? {} : { chat }),
        ...(me === undefined ? {} : { me }),
        ...(maxUnpacked === undefined ? {} : { maxUnpackedBytes: maxUnpacked * MEGABYTE }),
      },
      {
        signal,
        progress: (done, total) => progress(done, total, `${formatBytes(done)} of ${formatBytes(total)}`),
        async begin() {
          if (isNew) await addSource({ id: source, format, name: name ?? NAMES[format] }, context);
          hasBegun = true;
        },
      },
    );
    const report = await running.catch((thrown: unknown) => {
      throw hasBegun && thrown instanceof AppError ? unfinished(thrown) : thrown;
    });
    const { assumed, skipped, unread, ...counts } = report;
    return {
      source,
      format,
      ...counts,
      skipped: skipped.map(({ examples, ...reason }) => ({ ...reason, examples: [...examples] })),
      unread: { count: unread.count, places: [...unread.places] },
      assumed: {
        ...(assumed.timeZone === undefined ? {} : { time_zone: assumed.timeZone }),
        ...(assumed.dateOrder === undefined ? {} : { date_order: assumed.dateOrder }),
        ...(assumed.clock === undefined ? {} : { clock: assumed.clock }),
      },
    };
  },
  render: (output) =>
    [
      heading(output),
      ...output.skipped.map(skippedLine),
      ...assumptions(output.assumed),
      ...unreadLines(output.unread),
    ].join('\n'),
});

/** Whether the source has to be added; throws if its id belongs to another source. */
async function isNewSource(
  id: string,
  format: ArchiveFormat,
  { sources, sourceRepository }: ImportParts,
): Promise<boolean> {
  const found = await sources.find(id);
  if (!found) {
    if ((await sourceRepository.withData()).includes(id))
      throw isTaken(id, 'There are messages of another source with this id.');
    return true;
  }
  if (found.kind !== KIND)
    throw isTaken(id, `The source '${id}' is of the kind ${found.kind}; an archive cannot be imported into it.`);
  await hasRow(id, format, { sourceRepository });
  return false;
}

/** Whether an import has added the source; throws if it holds an archive of another format. */
async function hasRow(
  id: string,
  format: ArchiveFormat,
  { sourceRepository }: Pick<ImportParts, 'sourceRepository'>,
): Promise<boolean> {
  const row = (await sourceRepository.list()).find((one) => one.id === id);
  if (row && row.settings.format !== format)
    throw isTaken(id, `The source '${id}' holds an archive of another format.`);
  return row !== undefined;
}

async function addSource(
  { id, format, name }: { id: string; format: ArchiveFormat; name: string },
  parts: ImportParts,
): Promise<void> {
  const row = { id, kind: KIND, name, settings: { format }, createdAt: parts.clock.now() };
  await parts.sourceRepository.add(row).catch(async (failure: unknown) => {
    // Another process may have begun to import into this source meanwhile.
    if (!(await hasRow(id, format, parts))) throw failure;
  });
  await parts.reloadSources();
}

function onlyForLogs(): AppError {
  return new AppError('INVALID_PARAMETER', '--format describes the lines of IRC logs; other exports have one format.', {
    field: 'format',
    hint: 'Leave it out.',
  });
}

/** What was stored before the failure stays. */
function unfinished({ code, message, field, hint, cause }: AppError): AppError {
  const rest = 'What was read so far is kept: run the import again for the rest.';
  return new AppError(code, message, { field, hint: hint === undefined ? rest : `${hint} ${rest}`, cause });
}

function isTaken(id: string, message: string): AppError {
  return new AppError('CONFLICT', message, { field: 'source', hint: `Choose another id: --source ${id}-archive` });
}

interface Summary {
  source: string;
  added: number;
  changed: number;
  known: number;
  chats: number;
}

function heading({ source, added, changed, known, chats }: Summary): string {
  const parts = [
    `${added} added`,
    ...(changed > 0 ? [`${changed} changed`] : []),
    ...(known > 0 ? [`${known} known already`] : []),
  ];
  return `${source}: ${parts.join(', ')}, in ${chats} ${chats === 1 ? 'chat' : 'chats'}.`;
}

function skippedLine({
  reason,
  count,
  examples,
}: {
  reason: string;
  count: number;
  examples: readonly string[];
}): string {
  return `Skipped ${count}: ${reason} (${examples.map(visible).join('; ')}${count > examples.length ? '; …' : ''})`;
}

function unreadLines({ count, places }: { count: number; places: readonly string[] }): string[] {
  if (count === 0) return [];
  const more = count > places.length ? '; …' : '';
  return [`Could not be read: ${count}, the first at ${places.map(visible).join('; ')}${more}`];
}

function assumptions(assumed: {
  time_zone?: string | undefined;
  date_order?: string | undefined;
  clock?: string | undefined;
}): string[] {
  const { time_zone: timeZone, date_order: dateOrder, clock } = assumed;
  return [
    ...(timeZone === undefined ? [] : [`Times without a zone were read as those of ${timeZone} (--time-zone).`]),
    ...(dateOrder === undefined ? [] : [`Dates were read as ${dateOrder} (--date-order).`]),
    ...(clock === undefined ? [] : [`Hours of some logs were read as those of a ${clock} clock.`]),
  ];
}
