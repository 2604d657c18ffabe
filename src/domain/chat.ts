/** What kind of conversation a chat is. A thread is a conversation about one subject, such as an email's. */
export const CHAT_TYPES = ['direct', 'group', 'channel', 'thread'] as const;
export type ChatType = (typeof CHAT_TYPES)[number];

/** What a message mostly is. `system` is said by the network itself: somebody joined, a subject was changed. */
export const CONTENT_TYPES = [
  'text',
  'image',
  'video',
  'audio',
  'file',
  'sticker',
  'location',
  'contact',
  'system',
  'unknown',
] as const;
export type ContentType = (typeof CONTENT_TYPES)[number];

/** What is known of a file; the file itself stays where it is. */
export interface Attachment {
  type: ContentType;
  name?: string;
  mime?: string;
  size?: number;
  url?: string;
}

/** Somebody who says something, as the network knows them. */
export interface Sender {
  /** The network's own id: stable where it has one. */
  id: string;
  name: string;
}

/** A chat as a network tells of it; what it does not say stays as it was. */
export interface InboundChat {
  /** The network's own id, unique within its source. */
  id: string;
  name?: string;
  type?: ChatType;
  participantCount?: number;
}

export interface InboundMessage {
  chat: InboundChat;
  /** The network's own id within the chat: the same message twice is one. */
  id: string;
  sender: Sender;
  /** Written by the user whose source this is, here or on another device. */
  isOwn?: boolean;
  text: string;
  contentType?: ContentType;
  /** Milliseconds since 1970. */
  at: number;
  /** The network's id of the message this one answers, in the same chat. */
  replyTo?: string;
  editedAt?: number;
  attachments?: readonly Attachment[];
}

/** What happens on a network. Edits, deletions and reactions may come before the message that they are about. */
export type InboundEvent =
  | { kind: 'message'; message: InboundMessage }
  /** `sender`, where it is given, must be the one who wrote the message: others' edits and deletions are ignored. */
  | { kind: 'edit'; chat: string; message: string; text: string; at: number; sender?: string }
  | { kind: 'delete'; chat: string; message: string; at: number; sender?: string }
  /** Replaces what this sender had said by signs before; an empty list takes all of it back. */
  | { kind: 'reactions'; chat: string; message: string; sender: Sender; signs: readonly string[]; at: number }
  /** One sign more, or one less: for networks that tell of each by itself. */
  | { kind: 'reaction'; chat: string; message: string; sender: Sender; sign: string; removed?: boolean; at: number }
  | { kind: 'chat'; chat: InboundChat };
