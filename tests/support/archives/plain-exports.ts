import type fc from 'fast-check';
import { type ChatLine, chatLines, SENDERS } from './generated-chat.ts';
import { telegramChat, telegramFile, telegramMessage } from './telegram-export.ts';
import { escaped, htmlMessage, htmlPage } from './telegram-html.ts';
import { type WhatsappStyle, whatsappFile } from './whatsapp-export.ts';

type Files = Record<string, string>;

/** How an export is written, and the simplest way to read it back. */
interface PlainExport {
  write(lines: readonly ChatLine[]): Files;
  read(files: Files): ChatLine[];
}

const PAGE = 50;
const EPOCH = 1_420_070_400_000;

/** At first everybody writes something without a colon, on a day that fits only one order of dates. */
export function whatsappExport(style: WhatsappStyle): PlainExport & { lines: fc.Arbitrary<ChatLine[]> } {
  const first = SENDERS.map((sender) => ({ at: Date.UTC(2024, 4, 31), sender, text: 'the last day of a month' }));
  const unit = style.seconds ? 1 : 60;
  return {
    lines: chatLines({ second: unit, longestGap: Math.floor(100_000 / unit) }),
    write: (lines) => ({
      '_chat.txt': whatsappFile(
        style,
        [...first, ...lines].map(({ at, sender, text }) => ({ at: new Date(at), sender, text })),
      ),
    }),
    read(files) {
      // A header is known by how this style writes the time of a message, so that no date is parsed here.
      const days = 8 * 365;
      const known = new Map<string, number>();
      return (files['_chat.txt'] ?? '').split('\n').flatMap((line) => {
        const end = style.seconds ? line.indexOf('] ') + 2 : line.indexOf(' - ') + 3;
        const header = line.slice(0, end);
        const at = known.get(header) ?? timeOf(header, style, days);
        known.set(header, at);
        const [sender = '', ...text] = line.slice(end).split(': ');
        return [{ at, sender, text: text.join(': ') }];
      });
    },
  };
}

/** The moment that this style writes so: the day, then the hour, then the rest, each by trying all. */
function timeOf(header: string, style: WhatsappStyle, days: number): number {
  const start = Date.UTC(2024, 4, 31);
  const unit = style.seconds ? 1_000 : 60_000;
  for (let at = start, left = days * 24; left > 0; at += 3_600_000, left--) {
    if (!sharesHour(style.header(new Date(at)), header)) continue;
    for (let moment = at; moment < at + 3_600_000; moment += unit)
      if (style.header(new Date(moment)) === header) return moment;
  }
  return Number.NaN;
}

/** Equal but for the minutes and seconds. */
function sharesHour(one: string, other: string): boolean {
  const hours = (text: string) => text.replace(/:\d\d(?::\d\d)?/, '');
  return hours(one) === hours(other);
}

export const jsonExport: PlainExport = {
  write: (lines) => ({
    'result.json': telegramFile(
      telegramChat(
        lines.map(({ at, sender, text }, id) =>
          telegramMessage(id, {
            date_unixtime: String(at / 1000),
            from: sender,
            from_id: `user${sender.length}`,
            text,
            text_entities: undefined,
          }),
        ),
      ),
    ),
  }),
  read: (files) =>
    (
      JSON.parse(files['result.json'] ?? '') as { messages: { date_unixtime: string; from: string; text: string }[] }
    ).messages.map(({ date_unixtime: seconds, from, text }) => ({ at: Number(seconds) * 1000, sender: from, text })),
};

export const htmlExport: PlainExport = {
  write(lines) {
    const pages = Array.from({ length: Math.ceil(lines.length / PAGE) }, (_, page) =>
      lines.slice(page * PAGE, (page + 1) * PAGE),
    );
    return Object.fromEntries(
      pages.map((said, page) => [
        `messages${page === 0 ? '' : page + 1}.html`,
        htmlPage(
          'Family',
          said.map(({ at, sender, text }, index) => {
            const isJoined = index > 0 && said[index - 1]?.sender === sender;
            const title = new Date(at).toISOString().replace(/^(\d+)-(\d+)-(\d+)T(.{8}).*/, '$3.$2.$1 $4 UTC+00:00');
            return htmlMessage({
              id: page * PAGE + index,
              title,
              ...(isJoined ? {} : { from: sender }),
              text: escaped(text),
            });
          }),
        ),
      ]),
    );
  },
  read(files) {
    let sender = '';
    const pages = Object.keys(files).sort(
      (a, b) => Number.parseInt(`0${a.slice(8)}`, 10) - Number.parseInt(`0${b.slice(8)}`, 10),
    );
    return pages.flatMap((page) =>
      (files[page] ?? '')
        .split('<div class="message ')
        .slice(1)
        .map((block) => {
          const [, day, month, year, time] = /title="(\d\d)\.(\d\d)\.(\d{4}) (.{8})/.exec(block) ?? [];
          sender = /<div class="from_name">\s*(.*?)\s*<\/div>/.exec(block)?.[1] ?? sender;
          const text = /<div class="text">\s*([\s\S]*?)\s*<\/div>/.exec(block)?.[1] ?? '';
          return { at: Date.parse(`${year}-${month}-${day}T${time}Z`), sender, text: unescaped(text) };
        }),
    );
  },
};

function unescaped(html: string): string {
  return html
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&apos;', "'")
    .replaceAll('&amp;', '&');
}

const slackEscaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

export const slackExport: PlainExport = {
  write(lines) {
    const people = [...new Set(lines.map(({ sender }) => sender))];
    const days = Map.groupBy(
      lines.map((line, index) => ({ ...line, index })),
      ({ at }) => new Date(at).toISOString().slice(0, 10),
    );
    return {
      'users.json': JSON.stringify(people.map((name) => ({ id: `U${name}`, profile: { display_name: name } }))),
      'channels.json': JSON.stringify([{ id: 'C1', name: 'general' }]),
      ...Object.fromEntries(
        [...days].map(([day, said]) => [
          `general/${day}.json`,
          JSON.stringify(
            said.map(({ at, sender, text, index }) => ({
              type: 'message',
              user: `U${sender}`,
              ts: `${at / 1000}.${String(index).padStart(6, '0')}`,
              text: slackEscaped(text),
            })),
          ),
        ]),
      ),
    };
  },
  read: (files) =>
    Object.keys(files)
      .filter((name) => name.startsWith('general/'))
      .sort()
      .flatMap((name) => JSON.parse(files[name] ?? '[]') as { ts: string; user: string; text: string }[])
      .map(({ ts, user, text }) => ({
        at: Number(ts.slice(0, 10)) * 1000,
        sender: user.slice(1),
        text: unescaped(text),
      })),
};

export const discordExport: PlainExport = {
  write: (lines) => ({
    'general.json': JSON.stringify({
      guild: { id: '1', name: 'Guild' },
      channel: { id: '77', type: 'GuildTextChat', name: 'general' },
      messages: lines.map(({ at, sender, text }, index) => ({
        id: String((BigInt(at - EPOCH) << 22n) + BigInt(index)),
        type: 'Default',
        timestamp: new Date(at).toISOString(),
        content: text,
        author: { id: `9${sender.length}`, name: sender },
      })),
      messageCount: lines.length,
    }),
  }),
  read: (files) =>
    (
      JSON.parse(files['general.json'] ?? '') as {
        messages: { timestamp: string; content: string; author: { name: string } }[];
      }
    ).messages.map(({ timestamp, content, author }) => ({
      at: Date.parse(timestamp),
      sender: author.name,
      text: content,
    })),
};
