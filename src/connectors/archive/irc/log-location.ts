import type { InboundChat } from '../../../domain/chat.ts';
import { dateInName } from './calendar-date.ts';

const ENDINGS = /\.(?:log|txt|weechatlog|irclog)(?:\.\d{1,4})?$/i;
/** Folders that programs create, which are not networks. */
const ORDINARY = /^(?:logs?|irclogs?|irc|moddata|networks?|users?|channels?|queries|\d+)$/i;

/**
 * The chat of a log, from its path: `libera/#chat.log`, `#chat/2024-06-13.log`, `irc.libera.#chat.weechatlog`.
 * `above` is the folder of the export, for logs whose names do not contain the channel.
 */
export function chatOf(name: string, above: string): InboundChat {
  const within = name.split('/');
  const all = [...above.split('/').filter((part) => part !== ''), ...within];
  for (let index = all.length - 1; index >= 0; index--) {
    const [, prefix = '', channel] = /^(?:(.*?)[._-])?([#&][^\s,]*)$/s.exec(bareName(all[index] ?? '')) ?? [];
    if (channel === undefined) continue;
    const folder = index - 1 >= all.length - within.length ? (all[index - 1] ?? '') : '';
    return toChat(channel, prefix.replace(/^irc\./, '') || (ORDINARY.test(folder) ? '' : bareName(folder)));
  }
  return toChat(all.map(bareName).findLast((part) => part !== '') ?? 'irc', '');
}

export function isChannel(name: string): boolean {
  return /^[#&+!]/.test(name);
}

export function toChat(name: string, network: string): InboundChat {
  const id = (network === '' ? name : `${network}/${name}`).toLowerCase();
  return { id, name, ...(isChannel(name) ? { type: 'channel' } : {}) };
}

/** Without extension and date. */
function bareName(part: string): string {
  const stem = part.replace(ENDINGS, '');
  const date = dateInName(stem)?.text;
  const trimmed = (date === undefined ? stem : stem.replace(date, '')).replace(/^[-_. ]+|[-_. ]+$/g, '');
  return trimmed.replace(ENDINGS, '');
}
