import { z } from 'zod';
import { lenient, lenientList } from '../lenient-schema.ts';

const text = () => lenient(z.string());
const id = () => lenient(z.string().min(1).max(200));
const uuid = () =>
  lenient(
    z
      .string()
      .regex(/^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i)
      .transform((each) => each.toLowerCase()),
  );
/** Milliseconds; also the identity of a message together with its author. */
const timestamp = () => lenient(z.int().min(1).max(8_640_000_000_000_000));
const flag = () => lenient(z.boolean());

const Attachment = z.object({
  id: id(),
  contentType: text(),
  filename: text(),
  size: lenient(z.int().min(0)),
  caption: text(),
});
export type SignalAttachment = z.infer<typeof Attachment>;

const Mention = z.object({
  start: z.int().min(0),
  length: z.int().min(0),
  name: text(),
  number: id(),
  uuid: uuid(),
});
export type Mention = z.infer<typeof Mention>;

const Shared = z.object({
  name: lenient(z.object({ display: text(), given: text(), family: text() })),
  phone: lenientList(z.object({ value: z.string() }), 10),
});

/** A message that another one is about. */
const Target = z.object({ targetAuthorUuid: uuid(), targetAuthorNumber: id(), targetSentTimestamp: timestamp() });

const DataMessage = z.object({
  timestamp: timestamp(),
  message: text(),
  expiresInSeconds: lenient(z.int().min(0)),
  isExpirationUpdate: flag(),
  viewOnce: flag(),
  reaction: lenient(Target.extend({ emoji: text(), isRemove: flag() })),
  quote: lenient(z.object({ id: timestamp(), authorUuid: uuid(), authorNumber: id() })),
  mentions: lenientList(Mention, 1_000),
  attachments: lenientList(Attachment, 100),
  sticker: lenient(z.object({ packId: text() })),
  remoteDelete: lenient(z.object({ timestamp: timestamp() })),
  adminDelete: lenient(Target),
  contacts: lenientList(Shared, 20),
  pollCreate: lenient(z.object({ question: text(), options: lenientList(z.string(), 50) })),
  pollTerminate: lenient(z.object({ targetSentTimestamp: timestamp() })),
  pinMessage: lenient(Target),
  unpinMessage: lenient(Target),
  payment: lenient(z.object({ note: text() })),
  groupInfo: lenient(z.object({ groupId: id(), groupName: text(), revision: lenient(z.int()), type: text() })),
});
export type DataMessage = z.infer<typeof DataMessage>;

/** Fields that are no content of their own, or are read above. */
const KNOWN_FIELDS: ReadonlySet<string> = new Set([
  ...Object.keys(DataMessage.shape),
  ...['previews', 'textStyles', 'storyContext', 'pollVote'],
  ...['destination', 'destinationNumber', 'destinationUuid', 'editMessage'],
]);

const EditMessage = z.object({ targetSentTimestamp: timestamp(), dataMessage: z.unknown().optional() });

const Envelope = z.object({
  sourceUuid: uuid(),
  sourceNumber: id(),
  sourceName: text(),
  timestamp: timestamp(),
  serverReceivedTimestamp: timestamp(),
  dataMessage: z.unknown().optional(),
  editMessage: lenient(EditMessage),
  syncMessage: lenient(z.object({ sentMessage: z.unknown().optional(), type: text() })),
  callMessage: lenient(z.object({ offerMessage: lenient(z.object({ type: text() })) })),
});
export type Envelope = z.infer<typeof Envelope>;

const SentMessage = z.object({ destinationUuid: uuid(), destinationNumber: id(), editMessage: lenient(EditMessage) });

const Received = z.object({ envelope: Envelope, exception: lenient(z.object({ type: text() })), account: id() });
/** In manual mode it is in `result`, beside the number of the subscription. */
const Notification = z.union([z.object({ result: Received }).transform(({ result }) => result), Received]);
export type Received = z.infer<typeof Received>;

export function readNotification(params: unknown): Received | undefined {
  return Notification.safeParse(params).data;
}

export interface ReadMessage extends DataMessage {
  /** A field that this version does not know. */
  unknownContent?: string;
}

export function readMessage(value: unknown): ReadMessage | undefined {
  const { success, data } = DataMessage.safeParse(value);
  if (!success) return undefined;
  const unknown = Object.entries(value as object).find(
    ([name, content]) => !KNOWN_FIELDS.has(name) && content !== null && content !== undefined,
  );
  return unknown ? { ...data, unknownContent: unknown[0].slice(0, 100) } : data;
}

export function readSent(value: unknown): z.infer<typeof SentMessage> | undefined {
  return SentMessage.safeParse(value).data;
}

const Accounts = lenientList(z.object({ number: id(), uuid: uuid() }), 1_000);
const Contacts = lenientList(
  z.object({
    uuid: uuid(),
    number: id(),
    name: text(),
    nickName: text(),
    givenName: text(),
    familyName: text(),
    profile: lenient(z.object({ givenName: text(), familyName: text() })),
  }),
  100_000,
);
export type Contact = z.infer<typeof Contacts>[number];
const Groups = lenientList(
  z.object({
    id: z.string().min(1).max(200),
    name: text(),
    isMember: flag(),
    members: lenientList(z.unknown(), 10_000),
  }),
  10_000,
);
export type Group = z.infer<typeof Groups>[number];
const SendResult = z.object({
  timestamp: z.int().min(1),
  results: lenientList(
    z.object({ type: text(), recipientAddress: lenient(z.object({ uuid: uuid(), number: id() })) }),
    10_000,
  ),
});
export type SendResult = z.infer<typeof SendResult>;

export const readAccounts = (value: unknown) => Accounts.parse(value);
export const readContacts = (value: unknown) => Contacts.parse(value);
export const readGroups = (value: unknown) => Groups.parse(value);
export const readSendResult = (value: unknown) => SendResult.safeParse(value).data;
export const readLink = (value: unknown) =>
  z.object({ deviceLinkUri: z.string().regex(/^\w+:/).max(2_000) }).safeParse(value).data?.deviceLinkUri;
export const readLinked = (value: unknown) => z.object({ number: id() }).safeParse(value).data?.number;
export const readAttachment = (value: unknown) => z.object({ data: z.string() }).safeParse(value).data?.data;
