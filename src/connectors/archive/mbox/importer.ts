import { type Importer, type ImportInput, type ImportItem, whereIn } from '../importer.ts';
import { createMessageIds } from '../message-ids.ts';
import { createMeter } from '../meter.ts';
import type { ArchiveEntry } from '../open-archive.ts';
import { wrongFormat } from '../recognise.ts';
import { type MboxContext, toMessage } from './convert.ts';
import { isOneEmail, mailFiles } from './mail-files.ts';
import { lossesOf, parseLetter } from './parse.ts';
import { createSplitter, type RawLetter } from './split.ts';
import { createThreads } from './threads.ts';

/** Maximum size of one email without attachments. */
const LARGEST_LETTER = 16 * 1024 * 1024;

/** Mail in mbox format or as .eml files: one file, a folder or a zip. */
export const mbox: Importer = {
  format: 'mbox',
  async *read(input) {
    const { archive, options } = input;
    const { files, skipped } = await mailFiles(archive);
    const meter = createMeter(files.reduce((sum, { size }) => sum + size, 0));
    const around: MboxContext = {
      threadOf: createThreads(),
      idOf: createMessageIds(),
      ...(options.me === undefined ? {} : { me: options.me }),
    };
    let [done, letters] = [0, 0];
    yield* skipped;
    for (const file of files) {
      for await (const item of readFile(file, input, around)) {
        if (item.kind === 'read') yield* meter(done + item.end);
        else if (item.kind === 'letter') letters += 1;
        else yield item;
      }
      done += file.size;
    }
    if (letters === 0) throw await wrongFormat(archive, 'mbox');
  },
};

type FileItem = ImportItem | { kind: 'read'; end: number } | { kind: 'letter' };

async function* readFile(file: ArchiveEntry, { signal }: ImportInput, around: MboxContext): AsyncGenerator<FileItem> {
  const splitter = createSplitter(LARGEST_LETTER, isOneEmail(file));
  let [end, found] = [0, 0];
  for await (const chunk of file.read()) {
    for (const letter of splitter.push(chunk)) yield* readLetter(letter, file, around, signal);
    end += chunk.length;
    yield { kind: 'read', end };
  }
  for (const letter of splitter.end()) {
    found = letter.number;
    yield* readLetter(letter, file, around, signal);
  }
  if (found === 0) yield { kind: 'skipped', why: 'not_a_chat', where: whereIn(file.name) };
  else if (splitter.preamble() > 0) yield { kind: 'skipped', why: 'preamble', where: whereIn(file.name, 1) };
}

function* readLetter(
  letter: RawLetter,
  file: ArchiveEntry,
  around: MboxContext,
  signal: AbortSignal,
): Generator<FileItem> {
  signal.throwIfAborted();
  const where = whereIn(file.name, letter.line);
  const email = parseLetter(letter);
  const message = toMessage(email, letter, around);
  // A first line with a colon alone does not prove that a file is an email.
  if (letter.envelope !== '' || typeof message !== 'string') yield { kind: 'letter' };
  if (typeof message === 'string') yield { kind: 'skipped', why: message, where };
  else {
    yield { kind: 'event', event: { kind: 'message', message } };
    for (const why of new Set([...lossesOf(email), ...(letter.isCut ? (['too_large'] as const) : [])]))
      yield { kind: 'skipped', why, where };
  }
}
