import type { DateOrder } from '../../../domain/archive.ts';
import { linesOf } from '../entry-lines.ts';
import { entryText } from '../entry-text.ts';
import { type Importer, type ImportInput, type ImportItem, MAX_MESSAGE, whereIn } from '../importer.ts';
import { createMeter } from '../meter.ts';
import type { ArchiveEntry } from '../open-archive.ts';
import { recognise, wrongFormat } from '../recognise.ts';
import { chatFilesIn, leftOutChats } from './chat-files.ts';
import { chatNameOf } from './chat-name.ts';
import { createChatReader } from './chat-reader.ts';
import { parseHeader } from './header.ts';
import { createOrders, inDoubt } from './order-choice.ts';
import { createSurvey, type Findings } from './survey.ts';

/** WhatsApp's "Export chat": a text file per chat, alone or in a zip with media. */
export const whatsapp: Importer = {
  format: 'whatsapp',
  async *read(input) {
    const { archive, timeZone, options } = input;
    const { chats: entries, sent } = chatFilesIn(archive);
    // Each file is read twice, because its format shows only in the whole.
    const meter = createMeter(2 * entries.reduce((sum, { size }) => sum + size, 0));
    const orders = createOrders(options.dateOrder);
    const waiting: { entry: ArchiveEntry; findings: Findings }[] = [];
    let [done, chats] = [0, 0];
    const tell: Tell = (position) => meter(done + position);

    for (const entry of entries) {
      const findings = yield* survey(entry, input, tell);
      done += entry.size;
      if (findings && (findings.names.speakers.size > 0 || (await recognise(archive)) === 'whatsapp')) {
        if (chats === 0) yield { kind: 'assumed', what: 'time_zone', value: timeZone };
        chats += 1;
        const order = orders.of(findings);
        if (order === undefined) waiting.push({ entry, findings });
        else {
          yield* readChat(entry, findings, order, input, tell);
          done += entry.size;
        }
      } else {
        yield { kind: 'skipped', why: 'not_a_chat', where: whereIn(entry.name) };
        done += entry.size;
      }
    }
    // The others may show how this phone writes dates.
    for (const { entry, findings } of waiting) {
      const order = orders.asOthers(findings);
      if (order !== undefined) yield* readChat(entry, findings, order, input, tell);
      else if (waiting.length === chats) throw inDoubt(entry.name);
      else yield { kind: 'skipped', why: 'date_order', where: whereIn(entry.name) };
      done += entry.size;
    }
    if (chats === 0) throw await wrongFormat(archive, 'whatsapp');
    yield* leftOutChats(archive, sent);
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
  order: DateOrder,
  input: ImportInput,
  tell: Tell,
): AsyncGenerator<ImportItem> {
  yield { kind: 'assumed', what: 'date_order', value: order };
  const reader = createChatReader(entry, findings, order, input);
  for await (const line of linesOf(entry, MAX_MESSAGE, input.signal)) {
    for (const item of reader.accept(line)) yield item;
    for (const item of tell(line.end)) yield item;
  }
  for (const item of reader.end()) yield item;
}
