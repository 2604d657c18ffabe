/** Input fields that name what a call is about. Fields with content (`text`, `query`, `value`) are never here. */
const NAMING = [
  'source',
  'chat',
  'where',
  'message_id',
  'reply_to',
  'to',
  'id',
  'name',
  'group',
  'agent',
  'server',
  'tool',
  'repository',
  'conversation_id',
  'call_id',
  'decision',
  'path',
  'uri',
] as const;

const MAX_LENGTH = 200;

/** What a call names, for the audit log: ids and names without secrets, shortened. Undefined if it names nothing. */
export function objectOf(input: unknown, mask: (text: string) => string): Readonly<Record<string, string>> | undefined {
  if (typeof input !== 'object' || input === null) return undefined;
  let object: Record<string, string> | undefined;
  for (const key of NAMING) {
    const value = (input as Record<string, unknown>)[key];
    if (typeof value !== 'string' || value === '') continue;
    object ??= {};
    object[key] = mask(key === 'uri' ? withoutQuery(value) : value)
      .slice(0, MAX_LENGTH)
      .toWellFormed();
  }
  return object;
}

/** A query may contain the text that was searched for. */
function withoutQuery(uri: string): string {
  return uri.split('?', 1)[0] ?? '';
}
