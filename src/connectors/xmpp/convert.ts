import { createHash } from 'node:crypto';
import type { Attachment, ContentType, InboundChat, InboundEvent, Sender } from '../../domain/chat.ts';
import { attachmentsOf } from './attachments.ts';
import { type ChatAddress, type OwnAddress, placeOf } from './chat-address.ts';
import { NS } from './namespaces.ts';
import { isWorthKeeping, textOf } from './text.ts';
import { conditionOf } from './wire.ts';
import type { Element } from './xml.ts';

/** A message as it came, or as an archive kept it. */
export interface MessageCopy {
  message: Element;
  /** The archive's id of it, where there is one: the same for every copy. */
  archiveId?: string | undefined;
  at: number;
}

/**
 * How one message names another: by the archive's id, or by the id that its sender gave it, which only says something
 * together with who that was.
 */
export type Reference = { by: 'archive'; id: string } | { by: 'sender'; id: string; senders: readonly string[] };

type What =
  | {
      kind: 'message';
      text: string;
      contentType: ContentType;
      attachments: readonly Attachment[];
      replyTo?: Reference | undefined;
      /** What is kept is only that there was a message. */
      deletedAt?: number;
    }
  | { kind: 'edit'; target: Reference; text: string }
  | { kind: 'delete'; target: Reference; byRoom: boolean }
  | { kind: 'reactions'; target: Reference; signs: readonly string[] };

/** What was said, before it is known which messages it refers to. */
export interface ParsedStanza {
  chat: InboundChat;
  sender: Sender;
  isOwn: boolean;
  /** The network's id, the same for the live copy and the archived one. */
  id: string;
  archiveId: string | undefined;
  /** The ids that the sender gave it. */
  senderIds: readonly string[];
  at: number;
  what: What;
}

const MAX_SIGNS = 50;

/** Undefined for what is no message to anybody: somebody types, a receipt, a notice of another device. */
export function readMessage(copy: MessageCopy, ownAddress: OwnAddress): ParsedStanza | undefined {
  const { message, archiveId, at } = copy;
  const place = placeOf(message, ownAddress);
  const what = place && whatIsSaid(message, place, archiveId);
  if (!place || !what) return undefined;
  const { chat, sender, isOwn } = place;
  const senderIds = senderIdsOf(message);
  const id = archiveId ?? fallbackId(copy, sender, senderIds);
  return { chat, sender, isOwn, id, archiveId, senderIds, at, what };
}

/** `find` gives our id of the message that is meant, where it is known. */
export function toEvents(said: ParsedStanza, find: (reference: Reference) => string | undefined): InboundEvent[] {
  const { chat, sender, at, what } = said;
  if (what.kind === 'message') return messageEvents(said, what, what.replyTo && find(what.replyTo));
  const target = find(what.target);
  // A correction of something unknown is what its sender wants to have said.
  if (target === undefined) return what.kind === 'edit' ? messageEvents(said, { ...what, ...PLAIN }) : [];
  const about = { chat: chat.id, message: target, at };
  if (what.kind === 'edit') return [{ kind: 'edit', ...about, text: what.text, sender: sender.id }];
  if (what.kind === 'reactions') return [{ kind: 'reactions', ...about, sender, signs: what.signs }];
  return [{ kind: 'delete', ...about, ...(what.byRoom ? {} : { sender: sender.id }) }];
}

/** The references whose targets `toEvents` will ask for. */
export function referenceOf({ what }: ParsedStanza): Reference | undefined {
  return what.kind === 'message' ? what.replyTo : what.target;
}

/** The stamp of the one who keeps the archive, and of nobody else. */
export function stampedId(message: Element, by: string): string | undefined {
  return message.getChildren('stanza-id', NS.ids).find(({ attrs }) => attrs.by === by)?.attrs.id || undefined;
}

/** The ids that a sender gave a message; others refer to it by either. */
export function senderIdsOf(message: Element): readonly string[] {
  const ids = [message.attrs.id, message.getChild('origin-id', NS.ids)?.attrs.id];
  return [...new Set(ids.filter((id) => id !== undefined && id !== ''))] as string[];
}

const PLAIN = { kind: 'message', contentType: 'text', attachments: [] } as const;

function messageEvents(
  { chat, id, sender, isOwn, at }: ParsedStanza,
  { text, contentType, attachments, deletedAt }: Extract<What, { kind: 'message' }>,
  replyTo?: string,
): InboundEvent[] {
  const message = {
    chat,
    id,
    sender,
    isOwn,
    text,
    contentType,
    at,
    ...(replyTo === undefined ? {} : { replyTo }),
    ...(attachments.length === 0 ? {} : { attachments }),
  };
  const heard: InboundEvent = { kind: 'message', message };
  if (deletedAt === undefined) return [heard];
  return [heard, { kind: 'delete', chat: chat.id, message: id, at: deletedAt }];
}

function whatIsSaid(message: Element, place: ChatAddress, archiveId: string | undefined): What | undefined {
  if (message.attrs.type === 'error') return bounce(message, place);
  return (
    retraction(message, place) ??
    reactions(message, place) ??
    correction(message, place) ??
    content(message, place, archiveId)
  );
}

function retraction(message: Element, place: ChatAddress): What | undefined {
  const fastened = message.getChild('apply-to', NS.fasten);
  const moderated = message.getChild('retract', NS.retract)?.getChild('moderated', NS.moderate);
  const oldModerated = fastened?.getChild('moderated', NS.oldModerate);
  if (moderated || oldModerated) {
    const id = message.getChild('retract', NS.retract)?.attrs.id ?? fastened?.attrs.id;
    // Only the room itself moderates; anybody can write that they do.
    return id && place.isRoomItself ? { kind: 'delete', target: { by: 'archive', id }, byRoom: true } : undefined;
  }
  const retracted = message.getChild('retract', NS.retract)?.attrs.id;
  if (retracted) return { kind: 'delete', target: place.referTo(retracted, [place.sender.id]), byRoom: false };
  const old = fastened?.getChild('retract', NS.oldRetract) && fastened.attrs.id;
  if (!old) return undefined;
  return { kind: 'delete', target: { by: 'sender', id: old, senders: [place.sender.id] }, byRoom: false };
}

function reactions(message: Element, place: ChatAddress): What | undefined {
  const given = message.getChild('reactions', NS.reactions);
  if (!given?.attrs.id) return undefined;
  const signs = given.getChildren('reaction').map((reaction) => reaction.getText().trim());
  return {
    kind: 'reactions',
    target: place.referTo(given.attrs.id, place.people),
    signs: [...new Set(signs)].filter((sign) => sign !== '').slice(0, MAX_SIGNS),
  };
}

/** A correction always names the id that the sender gave, in rooms too. */
function correction(message: Element, place: ChatAddress): What | undefined {
  const id = message.getChild('replace', NS.correct)?.attrs.id;
  const text = textOf(message);
  if (!id || text === undefined) return undefined;
  return { kind: 'edit', target: { by: 'sender', id, senders: [place.sender.id] }, text };
}

function content(message: Element, place: ChatAddress, archiveId: string | undefined): What | undefined {
  const text = textOf(message);
  const attachments = attachmentsOf(message);
  const tombstone = message.getChild('retracted', NS.retract) ?? message.getChild('retracted', NS.oldRetract);
  const isKept = archiveId !== undefined;
  if (tombstone) {
    const deletedAt = Date.parse(tombstone.attrs.stamp ?? '');
    return { ...PLAIN, text: '', deletedAt: Number.isNaN(deletedAt) ? 0 : deletedAt };
  }
  if (text === undefined && attachments.length === 0) return bodiless(message, place, isKept);
  const reply = message.getChild('reply', NS.reply)?.attrs.id;
  return {
    kind: 'message',
    text: text ?? '',
    contentType: contentTypeOf(message, text ?? '', attachments),
    attachments,
    replyTo: reply ? place.referTo(reply, place.people) : undefined,
  };
}

function bodiless(message: Element, place: ChatAddress, isKept: boolean): What | undefined {
  const subject = message.getChildText('subject');
  const room = invitationOf(message);
  if (room !== undefined) return { ...PLAIN, text: `Invitation to ${room}`, contentType: 'system' };
  // Without a stamp it is what a room says to everybody who enters: nobody has said it just now.
  if (place.chat.type === 'group' && subject !== null) {
    return isKept ? { ...PLAIN, text: `Subject: ${subject}`, contentType: 'system' } : undefined;
  }
  if (subject) return { ...PLAIN, text: subject };
  return isKept && isWorthKeeping(message) ? { ...PLAIN, text: '', contentType: 'unknown' } : undefined;
}

function invitationOf(message: Element): string | undefined {
  const direct = message.getChild('x', NS.invitation)?.attrs.jid;
  return direct ?? (message.getChild('x', NS.mucUser)?.getChild('invite') ? message.attrs.from : undefined);
}

function contentTypeOf(message: Element, text: string, attachments: readonly Attachment[]): ContentType {
  if (message.getChild('encryption', NS.encryption) ?? message.getChild('encrypted', NS.omemo)) return 'unknown';
  const [first] = attachments;
  if (!first) return 'text';
  if (message.getChild('sticker', NS.sticker)) return 'sticker';
  return text === '' || text === first.url ? first.type : 'text';
}

const REASONS: ReadonlyMap<string, string> = new Map([
  ['remote-server-not-found', 'its server cannot be reached'],
  ['remote-server-timeout', 'its server cannot be reached'],
  ['service-unavailable', 'nobody takes messages at this address'],
  ['item-not-found', 'this address does not exist'],
  ['recipient-unavailable', 'the recipient cannot be reached'],
  ['gone', 'this address no longer exists'],
]);

/** Why a message came back, in our words: what the other side wrote to it may be anything. */
export function bounceReason(message: Element): string {
  return REASONS.get(conditionOf(message.getChild('error'))) ?? 'it was refused';
}

function bounce(message: Element, place: ChatAddress): What | undefined {
  const { id } = message.attrs;
  if (!id || place.isOwn) return undefined;
  const replyTo: Reference = { by: 'sender', id, senders: [place.self] };
  return {
    ...PLAIN,
    text: `A message could not be delivered: ${bounceReason(message)}.`,
    contentType: 'system',
    replyTo,
  };
}

/** Where no archive is kept: what a message says of itself. The same id twice with other words is not the same. */
function fallbackId({ message, at }: MessageCopy, { id: sender }: Sender, senderIds: readonly string[]): string {
  const parts = [sender, ...(senderIds.length > 0 ? senderIds : [at]), message.getChildText('body') ?? ''];
  return `~${createHash('sha256').update(JSON.stringify(parts)).digest('base64url').slice(0, 22)}`;
}
