import type { InboundChat, Sender } from '../../../domain/chat.ts';
import type { ImportOptions } from '../importer.ts';
import type { ArchiveEntry, ArchiveReader } from '../open-archive.ts';
import { chatNameOf } from './chat-name.ts';
import { lettersOf, plain } from './plain.ts';
import { isAnnouncement, speakersOf } from './speaker.ts';
import type { Findings } from './survey.ts';

/** The chat of an export and its members. */
export interface WhatsappSender {
  chat: InboundChat;
  /** The sender of a message and its first line, from what is after its header; undefined if it only looks like one. */
  senderIn(rest: string): { sender: Sender; text: string } | undefined;
  isMe(sender: Sender): boolean;
}

/**
 * The export names neither the chat nor its owner: the file name gives the chat, and of two people the other one is
 * the owner.
 */
export function describeParty(
  entry: ArchiveEntry,
  archive: ArchiveReader,
  { names }: Findings,
  options: ImportOptions,
): WhatsappSender {
  const name = plain(options.chat ?? chatNameOf(entry, archive));
  const { speakers } = names;
  const people = [...speakers.keys()].filter((person) => !isAnnouncement(person, speakers));
  const others = people.filter((person) => lettersOf(person) !== lettersOf(name));
  const isDirect = people.length <= 2 && others.length < people.length;
  const me = options.me ?? (isDirect && others.length === 1 ? others[0] : undefined);
  return {
    chat: { id: name, name, type: isDirect ? 'direct' : 'group' },
    senderIn(rest) {
      const speaker = names.choose(speakersOf(rest));
      if (!speaker || isAnnouncement(speaker.name, speakers)) return undefined;
      const { name: person, isStranger, text } = speaker;
      return { sender: { id: isStranger ? `~${person}` : person, name: person }, text };
    },
    isMe: (sender) => me !== undefined && sender.name === me,
  };
}
