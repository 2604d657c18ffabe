import type { InboundChat } from '../../../domain/chat.ts';
import { CUT, type Piece } from '../../../lib/json-scanner.ts';
import { type Importer, type ImportInput, type ImportItem, whereIn } from '../importer.ts';
import { AFTER_END, jsonPieces, objectIn } from '../json-elements.ts';
import type { Fields } from '../json-fields.ts';
import { createMeter } from '../meter.ts';
import type { ArchiveEntry } from '../open-archive.ts';
import { wrongFormat } from '../recognise.ts';
import { toChat, toEvents } from './convert.ts';
import { otherOutput } from './other-output.ts';

/** `messageCount` is written last: without it the export is incomplete. */
const PLAN = { guild: CUT, channel: CUT, messages: [CUT], messageCount: CUT } as const;

/** Where the exporter puts what was attached to messages: anyone may have sent a file that looks like an export. */
const MEDIA = /\.(?:json|html|csv|txt)_Files\//;

/** JSON of DiscordChatExporter: one file, several parts of a channel, or a folder of channels. */
export const discord: Importer = {
  format: 'discord',
  async *read(input) {
    const { archive } = input;
    const exported = archive.entries.filter(({ name }) => archive.kind === 'file' || /\.json$/i.test(name));
    const files = exported.filter(({ name }) => !MEDIA.test(name)).sort(byPart);
    const meter = createMeter(files.reduce((sum, { size }) => sum + size, 0));
    let [done, isExport] = [0, false];
    for (const file of files) {
      for await (const item of readFile(file, input)) {
        if (item.kind !== 'read') yield item;
        else {
          isExport ||= item.isExport;
          yield* meter(done + item.end);
        }
      }
      done += file.size;
    }
    for (const { name } of exported.filter((file) => !files.includes(file)))
      yield { kind: 'skipped', why: 'sent', where: whereIn(name) };
    if (!isExport) throw (await otherOutput(archive)) ?? (await wrongFormat(archive, 'discord'));
  },
};

type FileItem = ImportItem | { kind: 'read'; end: number; isExport: boolean };

async function* readFile(file: ArchiveEntry, { options, signal }: ImportInput): AsyncGenerator<FileItem> {
  const headings = new Map<string, Fields>();
  let chat: InboundChat | undefined;
  let [number, isWhole] = [0, false];
  for await (const piece of jsonPieces(file, PLAN, signal)) {
    if (piece.kind === 'read') yield { ...piece, isExport: chat !== undefined };
    if (piece.kind === 'followed' && chat)
      yield { kind: 'skipped', why: 'malformed', where: whereIn(file.name, AFTER_END) };
    if (piece.kind === 'begin' && piece.path[0] === 'messages') {
      chat = toChat(headings.get('guild'), headings.get('channel'));
      if (!chat) break;
    }
    if (piece.kind !== 'value' && piece.kind !== 'too_large') continue;
    const [field = ''] = piece.path;
    if (field === 'messages' && chat) {
      number += 1;
      yield* readMessage(piece, chat, options.me, whereIn(file.name, `message ${number}`));
    } else if (field === 'messageCount') isWhole = true;
    else headings.set(field, headingIn(piece));
  }
  if (!chat) yield { kind: 'skipped', why: 'not_a_chat', where: whereIn(file.name) };
  else if (!isWhole) yield { kind: 'skipped', why: 'cut_off', where: whereIn(file.name) };
}

function* readMessage(piece: CutOut, chat: InboundChat, me: string | undefined, where: string): Generator<ImportItem> {
  const found = objectIn(piece);
  const events = found.kind === 'value' ? toEvents(found.fields, chat, me) : found.why;
  if (typeof events === 'string') yield { kind: 'skipped', why: events, where };
  else for (const event of events) yield { kind: 'event', event };
}

function headingIn(piece: CutOut): Fields {
  const found = objectIn(piece);
  return found.kind === 'value' ? found.fields : {};
}

type CutOut = Extract<Piece, { kind: 'value' | 'too_large' }>;

/** `… [part 2].json` sorts before `… [part 10].json`, and after the file without a number. */
function byPart(a: ArchiveEntry, b: ArchiveEntry): number {
  const [first, second] = [partOf(a.name), partOf(b.name)];
  if (first.name !== second.name) return first.name < second.name ? -1 : 1;
  return first.part - second.part;
}

function partOf(name: string): { name: string; part: number } {
  const [whole, part] = / \[part (\d{1,6})\](?=\.[^./]*$)/.exec(name) ?? [];
  return whole === undefined ? { name, part: 1 } : { name: name.replace(whole, ''), part: Number(part) };
}
