import type { ArchiveEntry } from '../open-archive.ts';
import type { LogLocation } from './log-location.ts';
import { createLogSurvey } from './log-survey.ts';
import { type ReadLine, readLines } from './read-lines.ts';

/** A log and what its path says. */
export interface LocatedLog {
  file: ArchiveEntry;
  location: LogLocation;
}

/** Logs of one chat that are asked for its channel, and bytes that are read of each. */
const ASKED = 5;
const GLANCE_BYTES = 64 * 1024;

/**
 * The channels of logs whose paths do not surely name one, by the chat that the path names. Only some of the files of a
 * chat may name the channel, and all of them belong to it. A chat with one file is left to whoever reads that.
 */
export async function channelsOf(
  logs: readonly LocatedLog[],
  readLine: ReadLine,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, string>> {
  const channels = new Map<string, string>();
  for (const [chat, files] of Map.groupBy(
    logs.filter(({ location }) => !location.isSure),
    ({ location }) => location.chat.id,
  )) {
    if (files.length < 2) continue;
    const channel = await channelIn(files, readLine, signal);
    if (channel !== undefined) channels.set(chat, channel);
  }
  return channels;
}

async function channelIn(
  files: readonly LocatedLog[],
  readLine: ReadLine,
  signal: AbortSignal,
): Promise<string | undefined> {
  const survey = createLogSurvey(false);
  const step = Math.max(1, Math.floor(files.length / ASKED));
  for (let index = 0; index < files.length; index += step) {
    const file = files[index]?.file;
    if (!file) break;
    for await (const { line, end } of readLines(file, readLine, signal)) {
      if (line) survey.add(line);
      if (end >= GLANCE_BYTES) break;
    }
  }
  return survey.findings().channel;
}
