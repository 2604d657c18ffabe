import type { Sent, Unknown } from '../connector.ts';
import type { ParsedLine } from './line.ts';

/** A message of ours carries our id, so that it can be found again in the history. */
const TAG = '+switchboard/id';

/** The tag of one line of a message; where there are several, each says which of how many it is. */
export function ownIdTag(id: string, index: number, count: number): Record<string, string> {
  return { [TAG]: count === 1 ? id : `${id}/${index + 1}/${count}` };
}

/** What was sent under this id, where it is among these lines. `unknown` where only a part of it is. */
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
