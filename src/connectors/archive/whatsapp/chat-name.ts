import { basename, dirname } from 'node:path';
import type { ArchiveEntry, ArchiveReader } from '../open-archive.ts';
import { plain } from './plain.ts';

/** File name patterns of exports in many languages; the rest is the name of the chat. */
const TITLES = [
  /^WhatsApp[ -]?Chat (?:with|mit|-) (.+)$/i,
  /^WhatsApp[ -]?(?:chat|keskustelu|samtal|chatt|gesprek|beszélgetés|Sohbeti)(?: with| mit| med| met| kanssa|:| -) (.+)$/i,
  /^(?:Chat|Charla|Conversación) de WhatsApp con (.+)$/i,
  /^(?:Discussion|Conversation|Chat) WhatsApp avec (.+)$/i,
  /^Chat WhatsApp con (.+)$/i,
  /^Convers[ao]s? d[oe] WhatsApp com (.+)$/i,
  /^Chat WhatsApp (?:dengan|z|s|cu) (.+)$/i,
  /^(?:Чат|Переписка) (?:в )?WhatsApp (?:с контактом |с |з )(.+)$/i,
  /^Czat WhatsApp z (.+)$/i,
  /^(.+) ile WhatsApp Sohbeti$/i,
  /^(.+) के साथ WhatsApp चैट$/i,
  /^WhatsApp चैट[: -]+(.+)$/i,
  /^محادثة واتساب مع (.+)$/,
  /^(?:الدردشة|دردشة|محادثة) (?:على )?WhatsApp مع (.+)$/,
  /^(.+)님과의? WhatsApp 대화$/,
  /^WhatsApp (?:대화|チャット|聊天|对话|對話)(?:[: -]+|：)(.+)$/,
  /^(.+)とのWhatsAppチャット$/,
  /^[与與](.+)的 ?WhatsApp ?(?:聊天|对话|對話)$/,
];

/** The name of a chat, from its file name; iPhones name all files `_chat.txt`, in a zip with the name. */
export function chatNameOf(entry: ArchiveEntry, archive: ArchiveReader): string {
  const own = titleOf(basename(entry.name));
  if (own !== '_chat') return own;
  const folder = dirname(entry.name);
  if (folder !== '.') return titleOf(basename(folder));
  return titleOf(basename(archive.kind === 'file' ? dirname(archive.path) : archive.path));
}

export function titleOf(fileName: string): string {
  const bare = plain(fileName.replace(/(?:\.(?:txt|zip))+$/i, '').replace(/ ?\(\d{1,2}\)$/, ''));
  for (const title of TITLES) {
    const name = title.exec(bare)?.[1];
    if (name) return name;
  }
  return bare === '' ? fileName : bare;
}
