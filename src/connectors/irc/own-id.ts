import type { Sent, Unknown } from '../connector.ts';
import type { ParsedLine } from './line.ts';

/** Our messages carry our id, so that they can be found in the history. */
const TAG = '+switchboard/id';

/** The tag of one line of a message; with several lines it has their index and number. */
export function ownIdTag(id: string, index: number, count: number): Record<string, string> {
  return { [TAG]: count === 1 ? id : `${id}/${index + 1}/${count}` };
}

/** Looks up a message by our id among lines that we wrote; `unknown` if only a part is found. */
export function findSent(lines: readonly Pick<ParsedLine, 'tags'>[], id: string): Sent | Unknown | undefined {
  const ours = lines.filter(({ tags }) => tags[TAG] === id || tags[TAG]?.startsWith(`${id}/`));
  const [first] = ours;
  if (first === undefined) return undefined;
  const count = Number(first.tags[TAG]?.split('/')[2] ?? 1);
  if (new Set(ours.map(({ tags }) => tags[TAG])).size !== count) {
    return { kind: 'unknown', reason: 'Only a part of the message is there.' };
  }
  return { kind: 'sent', ...(first.tags.msgid === undefined ? {} : { id: first.tags.msgid }) };
}
