import { CONTENT_TYPES } from '../domain/chat.ts';
import { excerpt } from '../lib/excerpt.ts';
import { shownName } from '../lib/shown-name.ts';
import type { Marked } from '../lib/snippet.ts';
import { visible } from '../lib/visible.ts';
import type { StoredMessage } from './ports.ts';

/** The fields of a message that a line shows. */
export interface MessageText {
  timestamp: string;
  sender: string;
  content: string;
  deleted_at?: string | undefined;
  attachments?: readonly { type: string; name?: string | undefined }[] | undefined;
}

/**
 * A message as exactly one line. No text or name in it can imitate a second line, another sender or a remark of ours.
 * `chat` is shown if several chats are listed.
 */
export function messageLine(message: MessageText, chat?: string): string {
  const where = chat === undefined ? '' : `${lineName(chat)} | `;
  return `[${message.timestamp}] ${where}${lineName(message.sender)}: ${visible(contentOf(message))}`;
}

/** `isWhole`: also a long text is given in full. */
export function toMessageText(
  { at, sender, text, deletedAt, attachments }: StoredMessage,
  isWhole = false,
  marked?: Marked,
): MessageText {
  return {
    timestamp: new Date(at).toISOString(),
    sender: sender.name,
    content: isWhole ? text : excerpt(text, marked).text,
    ...(deletedAt === undefined ? {} : { deleted_at: new Date(deletedAt).toISOString() }),
    ...(attachments === undefined ? {} : { attachments }),
  };
}

/** The text and the attachments. Brackets of the text that read like ours get a backslash, and one more if they have one. */
export function contentOf({ content, deleted_at: deletedAt, attachments = [] }: MessageText): string {
  if (deletedAt !== undefined) return '[deleted]';
  const text = content.includes('[') ? content.replace(OUR_BRACKETS, '\\$&') : content;
  const files = attachments
    .slice(0, MAX_FILES)
    .map(({ type, name }) => (name === undefined ? `[${type}]` : `[${type}: ${shownName(name, /[[\]]/)}]`));
  const others = attachments.length > MAX_FILES ? [`[${attachments.length - MAX_FILES} more files]`] : [];
  return [...(text === '' ? [] : [text]), ...files, ...others].join(' ');
}

/** A name with a remark in parentheses after it. */
export function nameBeforeRemark(name: string): string {
  return shownName(name, /[()]/);
}

/** A list of names, each with a remark in parentheses. */
export function nameInList(name: string): string {
  return shownName(name, /[(),]/);
}

function lineName(name: string): string {
  return shownName(name, AFTER_A_NAME);
}

/** `chat | sender: text`; other colons look the same, and a bracket at the beginning could be read as a timestamp. */
const AFTER_A_NAME = /:(?:\s|$)|[：﹕︓∶꞉]|\s\||\|(?:\s|$)|^\[/;

const OUR_BRACKETS = new RegExp(
  `(?<!\\\\)\\\\*\\[(?:(?:deleted|${CONTENT_TYPES.join('|')})(?=[\\]:])|\\d+ more files(?=\\]))`,
  'g',
);

/** Files of a message that are named. */
const MAX_FILES = 10;
