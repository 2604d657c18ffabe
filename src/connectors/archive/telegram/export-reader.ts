import type { Sender } from '../../../domain/chat.ts';
import { CUT, type Piece, type Plan } from '../../../lib/json-scanner.ts';
import { createLocalClock } from '../../../lib/local-time.ts';
import { type ImportInput, type ImportItem, type SkipReason, whereIn } from '../importer.ts';
import { asFields, type Fields, integerField } from '../json-fields.ts';
import { parseJson } from '../json-text.ts';
import { type ChatHead, type TelegramContext, toChat, toEvents } from './convert.ts';

const CHAT = { name: CUT, type: CUT, id: CUT, messages: [CUT] } as const;
const CHATS = { list: [CHAT] } as const;

/** An export is one chat, or an account with a list of current and a list of left chats. */
export const EXPORT_PLAN: Plan = {
  ...CHAT,
  personal_information: { user_id: CUT },
  chats: CHATS,
  left_chats: CHATS,
};

export interface ExportReader {
  accept(piece: Piece): readonly ImportItem[];
  /** Whether anything was found that only an export contains. */
  readonly isExport: boolean;
}

export function createExportReader(file: string, { timeZone, options }: ImportInput): ExportReader {
  const toInstant = createLocalClock(timeZone);
  const own = new Set(options.me === undefined ? [] : [options.me, `user${options.me}`]);
  const isMe = ({ id, name }: Sender) => own.has(id) || name === options.me;
  let head: ChatHead = {};
  let around: TelegramContext | undefined;
  let [isExport, saidZone, count] = [false, false, 0];

  function note(field: string | undefined, value: unknown): void {
    if (field === 'id' && Number.isSafeInteger(value)) head = { ...head, id: value as number };
    if ((field === 'name' || field === 'type') && typeof value === 'string') head = { ...head, [field]: value };
    if (field === 'user_id' && Number.isSafeInteger(value)) own.add(`user${value}`);
    around = undefined;
  }

  function surroundings(): TelegramContext | undefined {
    if (around) return around;
    const chat = toChat(head);
    // Chats that contain only their owner.
    if (head.type === 'saved_messages') own.add(`user${head.id}`);
    around = chat && { chat, isMe, toInstant };
    return around;
  }

  function message(bytes: Buffer): readonly ImportItem[] {
    const fields = asFields(parseJson(bytes));
    if (!fields) return skipped('malformed');
    const known = surroundings();
    if (!known) return skipped('no_chat', fields);
    const converted = toEvents(fields, known);
    if (converted.kind === 'skipped') return skipped(converted.why, fields);
    const items: ImportItem[] = converted.events.map((event) => ({ kind: 'event', event }));
    if (!converted.isLocalTime || saidZone) return items;
    saidZone = true;
    return [{ kind: 'assumed', what: 'time_zone', value: timeZone }, ...items];
  }

  function skipped(why: SkipReason, fields: Fields = {}): readonly ImportItem[] {
    const id = integerField(fields, 'id');
    const place = id === undefined ? `the message at place ${count}` : `message ${id}`;
    return [
      { kind: 'skipped', why, where: whereIn(file, head.id === undefined ? place : `chat ${head.id}, ${place}`) },
    ];
  }

  /** A chat without messages is imported too, and its name may come after its messages. */
  function endOfChat(): readonly ImportItem[] {
    const chat = isExport ? surroundings()?.chat : undefined;
    head = {};
    around = undefined;
    count = 0;
    return chat ? [{ kind: 'event', event: { kind: 'chat', chat } }] : [];
  }

  return {
    accept(piece) {
      const [parent, last] = [piece.path.at(-2), piece.path.at(-1)];
      const isMessage = parent === 'messages' && last === '*';
      if (isMessage) count += 1;
      if (piece.kind === 'value') {
        if (isMessage) return message(piece.bytes);
        note(last, parseJson(piece.bytes));
      } else if (piece.kind === 'too_large') return isMessage ? skipped('too_large') : [];
      else if (last === 'list' || (last === 'messages' && isHeaded(head))) isExport = true;
      else if (piece.kind === 'end' && isChat(piece.path)) return endOfChat();
      return [];
    },
    get isExport() {
      return isExport;
    },
  };
}

/** JSON of other programs may contain messages too, but not in this structure. */
function isHeaded({ id, type }: ChatHead): boolean {
  return id !== undefined || type !== undefined;
}

function isChat(path: readonly string[]): boolean {
  return path.length === 0 || path.at(-2) === 'list';
}
