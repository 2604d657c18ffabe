import { createHash } from 'node:crypto';
import type { Attachment, ContentType, InboundChat, InboundEvent, Sender } from '../../domain/chat.ts';
import { attachmentsOf } from './attachments.ts';
import { type ChatAddress, type OwnAddress, placeOf } from './chat-address.ts';
import { NS } from './namespaces.ts';
import { isWorthKeeping, textOf } from './text.ts';
import { conditionOf } from './wire.ts';
import type { Element } from './xml.ts';

/** A message as received live or from an archive. */
export interface MessageCopy {
  message: Element;
  /** The archive's id, if present: the same for every copy. */
  archiveId?: string | undefined;
  at: number;
  /** Not the subject that everyone gets when joining. Some rooms archive no subjects. */
  isNewSubject?: boolean;
}

/** A reference to another message: by archive id, or by the sender's id together with the sender. */
export type Reference = { by: 'archive'; id: string } | { by: 'sender'; id: string; senders: readonly string[] };

type What =
  | {
      kind: 'message';
      text: string;
      contentType: ContentType;
      attachments: readonly Attachment[];
      replyTo?: Reference | undefined;
      /** Only the fact that there was a message is stored. */
      deletedAt?: number;
    }
  | { kind: 'edit'; target: Reference; text: string }
  | { kind: 'delete'; target: Reference; byRoom: boolean }
  | { kind: 'reactions'; target: Reference; signs: readonly string[] };

/** A parsed message whose references are not resolved yet. */
export interface ParsedStanza {
  chat: InboundChat;
  sender: Sender;
  isOwn: boolean;
  /** The network's id, the same for the live and the archived copy. */
  id: string;
  archiveId: string | undefined;
  /** Ids assigned by the sender. */
  senderIds: readonly string[];
  at: number;
  what: What;
}

const MAX_SIGNS = 50;

/** Undefined for stanzas that are not messages: typing notifications, receipts, notices of other devices. */
export function readMessage(copy: MessageCopy, ownAddress: OwnAddress): ParsedStanza | undefined {
  const { message, archiveId, at, isNewSubject = false } = copy;
  const place = placeOf(message, ownAddress);
  const what = place && whatIsSaid(message, place, archiveId !== undefined || isNewSubject);
  if (!place || !what) return undefined;
  const { chat, sender, isOwn } = place;
  const senderIds = senderIdsOf(message);
  const id = archiveId ?? fallbackId(copy, sender, senderIds);
  return { chat, sender, isOwn, id, archiveId, senderIds, at, what };
}

/** `find` returns our id of a referenced message, if known. */
export function toEvents(said: ParsedStanza, find: (reference: Reference) => string | undefined): InboundEvent[] {
  const { chat, sender, at, what } = said;
  if (what.kind === 'message') return messageEvents(said, what, what.replyTo && find(what.replyTo));
  const target = find(what.target);
  // A correction of an unknown message is stored as a message.
  if (target === undefined) return what.kind === 'edit' ? messageEvents(said, { ...what, ...PLAIN }) : [];
  const about = { chat: chat.id, message: target, at };
  if (what.kind === 'edit') return [{ kind: 'edit', ...about, text: what.text, sender: sender.id }];
  if (what.kind === 'reactions') return [{ kind: 'reactions', ...about, sender, signs: what.signs }];
  return [{ kind: 'delete', ...about, ...(what.byRoom ? {} : { sender: sender.id }) }];
}

/** References that `toEvents` will look up. */
export function referenceOf({ what }: ParsedStanza): Reference | undefined {
  return what.kind === 'message' ? what.replyTo : what.target;
}

/** Only the archive id assigned by the archive's owner is used. */
export function stampedId(message: Element, by: string): string | undefined {
  return message.getChildren('stanza-id', NS.ids).find(({ attrs }) => attrs.by === by)?.attrs.id || undefined;
}

/** Ids assigned by the sender; others refer to the message by either. */
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

/** Without a body: a message may have a subject of its own. */
export function isSubject(message: Element): boolean {
  return message.getChild('subject') !== undefined && message.getChild('body') === undefined;
}

/** `isKept`: it is certainly a message, also without a text. */
function whatIsSaid(message: Element, place: ChatAddress, isKept: boolean): What | undefined {
  if (message.attrs.type === 'error') return bounce(message, place);
  return (
    retraction(message, place) ??
    reactions(message, place) ??
    correction(message, place) ??
    content(message, place, isKept)
  );
}

function retraction(message: Element, place: ChatAddress): What | undefined {
  const fastened = message.getChild('apply-to', NS.fasten);
  const moderated = message.getChild('retract', NS.retract)?.getChild('moderated', NS.moderate);
  const oldModerated = fastened?.getChild('moderated', NS.oldModerate);
  if (moderated || oldModerated) {
    const id = message.getChild('retract', NS.retract)?.attrs.id ?? fastened?.attrs.id;
    // Moderation is accepted only from the room itself.
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

/** A correction always refers to the sender's id, in rooms too. */
function correction(message: Element, place: ChatAddress): What | undefined {
  const id = message.getChild('replace', NS.correct)?.attrs.id;
  const text = textOf(message);
  if (!id || text === undefined) return undefined;
  return { kind: 'edit', target: { by: 'sender', id, senders: [place.sender.id] }, text };
}

function content(message: Element, place: ChatAddress, isKept: boolean): What | undefined {
  const text = textOf(message);
  const attachments = attachmentsOf(message);
  const tombstone = message.getChild('retracted', NS.retract) ?? message.getChild('retracted', NS.oldRetract);
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
  // Without a delay stamp it is the room's subject that everyone gets when joining, not a new message.
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

/** Why a message bounced, in our own text: the remote text is untrusted. */
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

/**
 * Without an archive the id is computed from the message. The same sender's id with another text is another message.
 */
function fallbackId({ message, at }: MessageCopy, { id: sender }: Sender, senderIds: readonly string[]): string {
  const parts = [sender, ...(senderIds.length > 0 ? senderIds : [at]), message.getChildText('body') ?? ''];
  return `~${createHash('sha256').update(JSON.stringify(parts)).digest('base64url').slice(0, 22)}`;
}
