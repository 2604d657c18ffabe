import { linesOf } from '../entry-lines.ts';
import { entryText } from '../entry-text.ts';
import { type Importer, type ImportInput, type ImportItem, MAX_MESSAGE, whereIn } from '../importer.ts';
import { createMeter } from '../meter.ts';
import type { ArchiveEntry, ArchiveReader } from '../open-archive.ts';
import { recognise, wrongFormat } from '../recognise.ts';
import { chatNameOf } from './chat-name.ts';
import { createChatReader } from './chat-reader.ts';
import { parseHeader } from './header.ts';
import { chooseOrder } from './order-choice.ts';
import { createSurvey, type Findings } from './survey.ts';

/** WhatsApp's "Export chat": a text file per chat, alone or in a zip with media. */
export const whatsapp: Importer = {
  format: 'whatsapp',
  async *read(input) {
    const { archive, timeZone } = input;
    const entries = chatsIn(archive);
    // Each file is read twice, because its format shows only in the whole.
    const meter = createMeter(2 * entries.reduce((sum, { size }) => sum + size, 0));
    let [done, chats] = [0, 0];
    for (const entry of entries) {
      const tell = (position: number) => meter(done + position);
      const findings = yield* survey(entry, input, tell);
      if (findings && (findings.names.speakers.size > 0 || (await recognise(archive)) === 'whatsapp')) {
        if (chats === 0) yield { kind: 'assumed', what: 'time_zone', value: timeZone };
        chats += 1;
        yield* readChat(entry, findings, input, (position) => tell(entry.size + position));
      } else yield { kind: 'skipped', why: 'not_a_chat', where: whereIn(entry.name) };
      done += 2 * entry.size;
    }
    if (chats === 0) throw await wrongFormat(archive, 'whatsapp');
  },
};

type Tell = (position: number) => readonly ImportItem[];

async function* survey(
  entry: ArchiveEntry,
  { archive, signal, options }: ImportInput,
  tell: Tell,
): AsyncGenerator<ImportItem, Findings | undefined> {
  const found = createSurvey(
    [options.me ?? '', options.chat ?? chatNameOf(entry, archive)].filter((name) => name !== ''),
  );
  for await (const { bytes, end } of linesOf(entry, MAX_MESSAGE, signal)) {
    const header = parseHeader(entryText(bytes));
    if (header) found.add(header);
    for (const item of tell(end)) yield item;
  }
  return found.findings();
}

async function* readChat(
  entry: ArchiveEntry,
  findings: Findings,
  input: ImportInput,
  tell: Tell,
): AsyncGenerator<ImportItem> {
  const order = chooseOrder(findings, input.options.dateOrder, entry.name);
  yield { kind: 'assumed', what: 'date_order', value: order };
  const reader = createChatReader(entry, findings, order, input);
  for await (const line of linesOf(entry, MAX_MESSAGE, input.signal)) {
    for (const item of reader.accept(line)) yield item;
    for (const item of tell(line.end)) yield item;
  }
  for (const item of reader.end()) yield item;
}

/** Documents that were sent are in the zip too and may be text files. */
function chatsIn({ kind, entries }: ArchiveReader): readonly ArchiveEntry[] {
  if (kind === 'file') return entries;
  const texts = entries.filter(({ name }) => /\.txt$/i.test(name));
  const named = texts.filter(({ name }) => /(^|\/)_chat\.txt$/.test(name) || /whatsapp[^/]*$/i.test(name));
  return named.length > 0 ? named : texts;
}
