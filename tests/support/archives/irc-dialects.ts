import type { ChatLine } from './generated-chat.ts';

/** How a program writes a log, and the simplest way to read that back. */
export interface IrcDialect {
  name: string;
  /** Seconds, or whole minutes only. */
  second: number;
  /** Longest silence in units of `second`; shorter where the order of lines shows the day. */
  longestGap: number;
  file: string;
  write(lines: readonly ChatLine[]): string;
  read(log: string): ChatLine[];
}

const DAY_MS = 86_400_000;
const iso = (at: number) => new Date(at).toISOString();
const day = (at: number) => iso(at).slice(0, 10);
const minute = (at: number) => iso(at).slice(11, 16);
const second = (at: number) => iso(at).slice(11, 19);
/** `Thu Jun 13 2024` */
const shownDay = (at: number) => new Date(at).toUTCString().replace(/^(\w+), (\d+) (\w+) (\d+).*/, '$1 $3 $2 $4');

/** Lines with headings between days. `from` is the time of day as written. */
function withHeadings(heading: (at: number) => string, line: (line: ChatLine) => string) {
  return (lines: readonly ChatLine[]) => {
    let last = '';
    return lines
      .flatMap((each) => {
        const isNew = day(each.at) !== last;
        last = day(each.at);
        return isNew ? [heading(each.at), line(each)] : [line(each)];
      })
      .join('\n');
  };
}

/** Reads lines one by one: a heading matches `heading`, a message `pattern` with time, sender and text. */
function byLines(heading: RegExp, pattern: RegExp) {
  return (log: string): ChatLine[] => {
    let today = 0;
    return log.split('\n').flatMap((line) => {
      const date = heading.exec(line)?.[1];
      if (date !== undefined) today = Date.parse(`${date} UTC`);
      const [, time, sender = '', text = ''] = pattern.exec(line) ?? [];
      return time === undefined ? [] : [{ at: today + Date.parse(`1970-01-01T${time}Z`), sender, text }];
    });
  };
}

/** A clock with twelve hours: whenever the hour is less than before, half a day has passed. */
function twelveHour(log: string): ChatLine[] {
  let [half, last] = [Date.UTC(2024, 5, 13), 0];
  return log.split('\n').flatMap((line) => {
    const [, hour, minutes, sender = '', text = ''] = /^\[(\d\d):(\d\d)\] <(.*?)> (.*)$/.exec(line) ?? [];
    if (hour === undefined) return [];
    const time = ((Number(hour) % 12) * 60 + Number(minutes)) * 60_000;
    if (time < last) half += DAY_MS / 2;
    last = time;
    return [{ at: half + time, sender, text }];
  });
}

const twelve = (at: number) =>
  `${String(new Date(at).getUTCHours() % 12 || 12).padStart(2, '0')}:${iso(at).slice(14, 16)}`;

export const IRC_DIALECTS: readonly IrcDialect[] = [
  {
    name: 'irssi',
    second: 60,
    longestGap: 3_000,
    file: 'libera/#chat.log',
    write: withHeadings(
      (at) => `--- Day changed ${shownDay(at)}\n${minute(at)} -!- eve [~e@host.test] has joined #chat`,
      ({ at, sender, text }) => `${minute(at)} <@${sender}> ${text}`,
    ),
    read: byLines(/^--- Day changed (.*)$/, /^(\d\d:\d\d) <@(.*?)> (.*)$/),
  },
  {
    name: 'WeeChat',
    second: 1,
    longestGap: 100_000,
    file: 'irc.libera.#chat.weechatlog',
    write: (lines) => lines.map(({ at, sender, text }) => `${day(at)} ${second(at)}\t${sender}\t${text}`).join('\n'),
    read: (log) =>
      log.split('\n').map((line) => {
        const [time = '', sender = '', ...text] = line.split('\t');
        return { at: Date.parse(`${time.replace(' ', 'T')}Z`), sender, text: text.join('\t') };
      }),
  },
  {
    name: 'HexChat',
    second: 1,
    longestGap: 100_000,
    file: 'libera-#chat.log',
    write: (lines) =>
      [
        `**** BEGIN LOGGING AT Thu Jun 13 00:00:00 2024`,
        ...lines.map(({ at, sender, text }) => `${shownDay(at).slice(4, 10)} ${second(at)} <${sender}>\t${text}`),
      ].join('\n'),
    read: (log) =>
      log.split('\n').flatMap((line) => {
        const [, date, time, sender = '', text = ''] = /^(\w{3} \d\d) ([\d:]{8}) <(.*?)>\t(.*)$/.exec(line) ?? [];
        return date === undefined ? [] : [{ at: Date.parse(`${date} 2024 ${time} UTC`), sender, text }];
      }),
  },
  {
    name: 'mIRC',
    second: 60,
    longestGap: 3_000,
    file: '#chat.log',
    write: withHeadings(
      (at) =>
        `Session Time: ${shownDay(at).slice(0, 10)} 00:00:00 ${iso(at).slice(0, 4)}\n[${minute(at)}] * eve (e@host.test) has joined #chat`,
      ({ at, sender, text }) => `[${minute(at)}] <${sender}> ${text}`,
    ),
    read: (log) =>
      byLines(
        /^Session Time: (\w+ \w+ \d+ \d+)$/,
        /^\[(\d\d:\d\d)\] <(.*?)> (.*)$/,
      )(log.replaceAll(/^(Session Time: \w+ \w+ \d+) [\d:]+ /gm, '$1 ')),
  },
  {
    name: 'eggdrop',
    second: 60,
    longestGap: 3_000,
    file: 'chat.log',
    write: withHeadings(
      (at) => `[00:00] --- ${shownDay(at)}\n[${minute(at)}] eve (~e@host.test) joined #chat.`,
      ({ at, sender, text }) => `[${minute(at)}] <${sender}> ${text}`,
    ),
    read: byLines(/^\[00:00\] --- (.*)$/, /^\[(\d\d:\d\d)\] <(.*?)> (.*)$/),
  },
  {
    name: 'an ISO timestamp',
    second: 1,
    longestGap: 100_000,
    file: 'logs/#chat.txt',
    write: (lines) =>
      lines.map(({ at, sender, text }) => `[${iso(at).slice(0, 19)}+0000] <${sender}> ${text}`).join('\n'),
    read: (log) =>
      log.split('\n').flatMap((line) => {
        const [, time, sender = '', text = ''] = /^\[(.*?)\+0000\] <(.*?)> (.*)$/.exec(line) ?? [];
        return time === undefined ? [] : [{ at: Date.parse(`${time}Z`), sender, text }];
      }),
  },
  {
    name: 'a 12-hour clock and ===',
    second: 60,
    longestGap: 50,
    file: '#chat_2024-06-13.log',
    write: (lines) =>
      [
        // Somebody writes every half hour of the first day, so that the clock is seen to begin again.
        ...Array.from({ length: 48 }, (_, index) => Date.UTC(2024, 5, 13) + index * 1_800_000).map(
          (at) => `[${twelve(at)}] <eve> ping`,
        ),
        ...lines.map(
          ({ at, sender, text }) =>
            `[${twelve(at + DAY_MS)}] <${sender}> ${text}\n=== eve [~e@host.test] has joined #chat`,
        ),
      ].join('\n'),
    read: twelveHour,
  },
];

/** ZNC writes a file for each day. */
export function zncFiles(lines: readonly ChatLine[]): Record<string, string> {
  const days = Map.groupBy(lines, ({ at }) => day(at));
  return Object.fromEntries(
    [...days].map(([date, said]) => [
      `libera/#chat/${date}.log`,
      said.map(({ at, sender, text }) => `[${second(at)}] <${sender}> ${text}\n`).join(''),
    ]),
  );
}

export function readZnc(files: Readonly<Record<string, string>>): ChatLine[] {
  return Object.entries(files)
    .sort()
    .flatMap(([name, log]) =>
      log
        .trim()
        .split('\n')
        .map((line) => {
          const [, time = '', sender = '', text = ''] = /^\[(.*?)\] <(.*?)> (.*)$/.exec(line) ?? [];
          return { at: Date.parse(`${name.slice(-14, -4)}T${time}Z`), sender, text };
        }),
    );
}
