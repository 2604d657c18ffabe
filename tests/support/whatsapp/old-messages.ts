import { proto } from 'baileys';

const { RECENT } = proto.HistorySync.HistorySyncType;

/** Parts of a history as a phone sends it: newest first in each chat, with several messages in each second. */
export function historyOf(chat: string, author: string, count: number, parts: number): proto.IHistorySync[] {
  const start = Math.floor(Date.now() / 1_000) - count;
  const newestFirst = Array.from({ length: count }, (_, index) => count - 1 - index).map((number) => ({
    message: {
      key: { remoteJid: chat, fromMe: false, id: `OLD${number}`, participant: author },
      message: { conversation: `old ${number}` },
      messageTimestamp: start + Math.floor(number / 5),
    },
  }));
  const size = Math.ceil(count / parts);
  return Array.from({ length: parts }, (_, part) => ({
    syncType: RECENT,
    chunkOrder: part + 1,
    progress: Math.round(((part + 1) / parts) * 100),
    conversations: [{ id: chat, name: 'Team', messages: newestFirst.slice(part * size, (part + 1) * size) }],
    pushnames: [{ id: author, pushname: 'Antti' }],
  }));
}
