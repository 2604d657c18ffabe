/** A message as Telegram Desktop exports it. */
export function telegramMessage(id: number, fields: Record<string, unknown> = {}): Record<string, unknown> {
  const moment = 1_718_280_245 + id;
  return {
    id,
    type: 'message',
    date: new Date(moment * 1000).toISOString().slice(0, 19),
    date_unixtime: String(moment),
    from: `Person ${id % 3}`,
    from_id: `user${id % 3}`,
    text: `message ${id}`,
    text_entities: [{ type: 'plain', text: `message ${id}` }],
    ...fields,
  };
}

export function telegramChat(
  messages: readonly unknown[],
  fields: Record<string, unknown> = {},
): Record<string, unknown> {
  return { name: 'Family', type: 'private_supergroup', id: 9, ...fields, messages };
}

/** The text of the file: with its peculiar indentation, and control characters in hexadecimal. */
export function telegramFile(root: unknown): string {
  return JSON.stringify(root, null, 1).replaceAll(/\\u00([01][\da-f])/g, String.raw`\x$1`);
}
