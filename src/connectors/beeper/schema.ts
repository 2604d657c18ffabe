import { z } from 'zod';
import { lenient, lenientList } from '../lenient-schema.ts';

const text = () => lenient(z.string());
const flag = () => lenient(z.boolean());
const id = () => z.string().min(1).max(1_000);
/** Newer versions have ids as text, older ones some as numbers. */
const key = () => z.union([id(), z.number().transform(String)]);
const date = () =>
  lenient(
    z
      .string()
      .transform((each) => Date.parse(each))
      .refine((each) => each > 0),
  );

const Attachment = z.object({
  type: text(),
  id: text(),
  srcURL: text(),
  fileName: text(),
  mimeType: text(),
  fileSize: lenient(z.int().min(0)),
  isSticker: flag(),
});
export type BeeperAttachment = z.infer<typeof Attachment>;

const Message = z.object({
  id: key(),
  chatID: id(),
  senderID: id(),
  sortKey: key(),
  timestamp: date(),
  senderName: text(),
  text: text(),
  type: text(),
  editedTimestamp: date(),
  isDeleted: flag(),
  isHidden: flag(),
  isSender: flag(),
  linkedMessageID: lenient(key()),
  attachments: lenientList(Attachment, 100),
  reactions: lenientList(z.object({ participantID: id(), reactionKey: id() }), 1_000),
  sendStatus: lenient(z.object({ status: text() })),
});
export type BeeperMessage = z.infer<typeof Message>;

const Person = z.object({ id: id(), fullName: text(), username: text(), isSelf: flag() });
const Chat = z.object({
  id: id(),
  accountID: text(),
  network: text(),
  title: text(),
  type: text(),
  participants: lenient(z.object({ items: lenientList(Person, 1_000), total: lenient(z.int().min(0)) })),
});
export type BeeperChat = z.infer<typeof Chat>;

/** The cursor is that of the oldest entry. */
const Chats = z.object({ items: lenientList(Chat, 10_000), hasMore: flag(), oldestCursor: lenient(key().nullable()) });
const Messages = z.object({ items: lenientList(Message, 10_000), hasMore: flag() });
const Accounts = lenientList(z.object({ accountID: id(), network: text() }), 1_000);
const Pending = z.object({ pendingMessageID: key() });
const LiveEvent = z.object({
  type: id(),
  chatID: text(),
  ids: lenientList(key(), 10_000),
  entries: z.array(z.unknown()).optional().catch(undefined),
});
export type LiveEvent = z.infer<typeof LiveEvent>;

export const readChats = (value: unknown) => Chats.parse(value);
export const readChat = (value: unknown) => Chat.safeParse(value).data;
export const readMessages = (value: unknown) => Messages.parse(value);
export const readMessage = (value: unknown) => Message.safeParse(value).data;
export const readAccounts = (value: unknown) => Accounts.parse(value);
export const readPending = (value: unknown) => Pending.parse(value).pendingMessageID;
export const readLiveEvent = (value: unknown) => LiveEvent.safeParse(value).data;
