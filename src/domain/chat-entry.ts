/**
 * An entry of a list of recipients or grants. Names are chosen by other people, ids by the network: an entry is an id
 * unless it says `name:`, and nothing else is compared with a name.
 */
export type ChatEntry = { kind: 'id'; id: string } | { kind: 'name'; name: string };

const NAME = 'name:';

/** `#dev` or `name:Development`. */
export function parseChatEntry(text: string): ChatEntry {
  return text.startsWith(NAME) ? { kind: 'name', name: text.slice(NAME.length).trim() } : { kind: 'id', id: text };
}

/** The chats that bear a name, regardless of case and accents; in all sources, or in one. */
export type FindNamed = (name: string, source?: string) => Promise<readonly { source: string; id: string }[]>;

/** The only chat that bears a name; undefined if none or several do. */
export async function onlyNamed(
  find: FindNamed,
  name: string,
  source?: string,
): Promise<{ source: string; id: string } | undefined> {
  if (name === '') return undefined;
  const [found, ...others] = await find(name, source);
  return others.length === 0 ? found : undefined;
}
