import type { InboundChat } from '../../../domain/chat.ts';
import { type CalendarDate, dateInName } from './calendar-date.ts';

const ENDINGS = /\.(?:log|txt|weechatlog|irclog)(?:\.\d{1,4})?$/i;
/** Folders that programs create, which are not networks. */
const ORDINARY =
  /^(?:logs?|irclogs?|xchatlogs|irc|moddata|networks?|users?|channellogger|scrollback|\d+|\d{4}-\d\d(?:-\d\d)?)$/i;
/** Folders between that of the network and the logs. */
const KIND_OF_CHAT = /^(?:channels?|queries|query)$/i;
/** irssi with the year in a folder: `2020/freenode/#linux.01-15.log`. */
const MONTH_AND_DAY = /[._-](\d\d)[-.](\d\d)$/;

/** Where a log is, and what that says about its chat. */
export interface LogLocation {
  /** The chat as its path names it. */
  chat: InboundChat;
  network: string;
  /** Whether the path surely names the channel; otherwise the log itself may. */
  isSure: boolean;
  date?: CalendarDate;
}

/**
 * The chat of a log, from its path: `libera/#chat.log`, `#chat/2024-06-13.log`, `irc.libera.#chat.weechatlog`.
 * `above` is the folder of the export, for logs whose names do not contain the channel.
 */
export function locate(name: string, above: string): LogLocation {
  const within = name.split('/').map(decoded);
  const all = [
    ...above
      .split('/')
      .filter((part) => part !== '')
      .map(decoded),
    ...within,
  ];
  const date = dateInName(name) ?? dateInFolders(within);
  const dated = date === undefined ? {} : { date };
  const isWithin = (index: number) => index >= all.length - within.length;
  for (let index = all.length - 1; index >= 0; index--) {
    const [, prefix = '', channel] = /^(?:(.*?)[._-])?([#&][^\s,]*)$/s.exec(bareName(all[index] ?? '')) ?? [];
    if (channel === undefined) continue;
    const network = prefix.replace(/^irc\./, '') || networkAbove(all.slice(0, index).filter((_, at) => isWithin(at)));
    // mIRC writes the network after the channel: `#chat.Libera.log`.
    return { chat: toChat(channel, network), network, isSure: !channel.includes('.'), ...dated };
  }
  const own = all.map(bareName).findLastIndex((part) => part !== '');
  const network = networkAbove(all.slice(0, Math.max(own, 0)).filter((_, at) => isWithin(at)));
  return { chat: toChat(own === -1 ? 'irc' : bareName(all[own] ?? ''), network), network, isSure: false, ...dated };
}

/** The chat of a log in which the server names this channel. */
export function chatNamed({ chat, network, isSure }: LogLocation, channel: string | undefined): InboundChat {
  if (isSure || channel === undefined || !isChannel(channel)) return chat;
  const name = chat.name ?? '';
  if (!isChannel(name)) return toChat(channel, network);
  if (!name.toLowerCase().startsWith(`${channel.toLowerCase()}.`)) return chat;
  return toChat(channel, network || name.slice(channel.length + 1));
}

export function isChannel(name: string): boolean {
  return /^[#&+!]/.test(name);
}

export function toChat(name: string, network: string): InboundChat {
  const id = (network === '' ? name : `${network}/${name}`).toLowerCase();
  return { id, name, ...(isChannel(name) ? { type: 'channel' } : {}) };
}

/** The folder of the network is directly above those of the channel and of the date. */
function networkAbove(folders: readonly string[]): string {
  const nearest = folders.findLast((folder) => !isChannel(folder) && !isOnlyDate(folder) && !KIND_OF_CHAT.test(folder));
  const name = nearest?.replace(/\.zip$/i, '');
  return name === undefined || ORDINARY.test(name) ? '' : bareName(name);
}

function isOnlyDate(folder: string): boolean {
  return /^\d+$/.test(folder) || bareName(folder) === '';
}

/** `%23chat` is how web servers name `#chat`. */
function decoded(part: string): string {
  return part.replace(/^%23|(?<=[._-])%23/i, '#');
}

/** The year of a folder, with month and day of the file. */
function dateInFolders(within: readonly string[]): CalendarDate | undefined {
  const [, month, day] = MONTH_AND_DAY.exec((within.at(-1) ?? '').replace(ENDINGS, '')) ?? [];
  const year = within.slice(0, -1).findLast((folder) => /^(?:19|20)\d\d$/.test(folder));
  if (month === undefined || day === undefined || year === undefined) return undefined;
  return dateInName(`${year}-${month}-${day}`);
}

/** Without extension and date. */
function bareName(part: string): string {
  const stem = part.replace(ENDINGS, '');
  const date = dateInName(stem)?.text;
  const trimmed = (date === undefined ? stem : stem.replace(date, '')).replace(/^[-_. ]+|[-_. ]+$/g, '');
  const bare = trimmed.replace(ENDINGS, '');
  return isChannel(bare) ? bare.replace(MONTH_AND_DAY, '') : bare;
}
