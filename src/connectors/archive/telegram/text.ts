import { asFields, type Fields, textField } from '../json-fields.ts';

/** The text of a message. `text_entities` is always a list and missing in old exports; `text` is a string or a list. */
export function textOf(message: Fields): string {
  const { text_entities: entities, text } = message;
  const marked = Array.isArray(entities) ? joined(entities) : '';
  if (marked !== '') return marked;
  if (typeof text === 'string') return text;
  return Array.isArray(text) ? joined(text) : '';
}

/** The text of a forwarded message, which somebody else wrote; deleted accounts have no name. */
export function forwardedText(from: string, text: string): string {
  return text === '' ? `Forwarded from ${from}` : `Forwarded from ${from}:\n${text}`;
}

function joined(parts: readonly unknown[]): string {
  return parts.map(partText).join('');
}

function partText(part: unknown): string {
  if (typeof part === 'string') return part;
  const fields = asFields(part);
  if (!fields) return '';
  const text = textField(fields, 'text') ?? '';
  const href = textField(fields, 'href');
  // Adds the URL of a link whose label is different.
  return href !== undefined && href !== text ? `${text} (${href})` : text;
}
