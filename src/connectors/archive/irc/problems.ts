import { AppError } from '../../../domain/errors.ts';
import type { ImportOptions } from '../importer.ts';
import type { ArchiveReader } from '../open-archive.ts';
import { recognise, wrongFormat } from '../recognise.ts';

/** The programs whose logs are read without a description. */
const KNOWN =
  'irssi, WeeChat, ZNC, HexChat, XChat, mIRC, eggdrop, energymech, Konversation, The Lounge, Textual, Limnoria, and the logs of Ubuntu';
const EXAMPLES = `--format '{date} {time} <{nick}> {text}' or --format '{unixtime}\\t{nick}\\t{text}'`;

/** Why no message was found; `skipped` are the reasons of what was skipped. */
export async function noMessages(
  archive: ArchiveReader,
  skipped: ReadonlySet<string>,
  { lineFormats = [] }: ImportOptions,
): Promise<AppError> {
  if (lineFormats.length > 0 && !skipped.has('no_time')) return otherFormat(archive);
  if (skipped.has('no_time') && !skipped.has('unknown_format')) return dayless(archive);
  const looksLike = await recognise(archive);
  return looksLike === undefined || looksLike === 'irc' ? unknownFormat(archive) : wrongFormat(archive, 'irc');
}

function unknownFormat({ path }: ArchiveReader): AppError {
  return new AppError('INVALID_PARAMETER', `Most lines of ${path} are in no format of IRC logs that is known.`, {
    field: 'path',
    hint: `Known are ${KNOWN}. Describe the lines of another: ${EXAMPLES}.`,
  });
}

function otherFormat({ path }: ArchiveReader): AppError {
  return new AppError('INVALID_PARAMETER', `Most lines of ${path} are not in the format of --format.`, {
    field: 'format',
    hint: `Compare the pattern with a line of the log, sign by sign: ${EXAMPLES}.`,
  });
}

function dayless({ path }: ArchiveReader): AppError {
  return new AppError('INVALID_PARAMETER', `Nothing in ${path} says on which day it was written.`, {
    field: 'path',
    hint: 'Name the file after its first day, like chat_2024-06-13.log.',
  });
}
