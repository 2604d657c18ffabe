import { asFields, type Fields, recordsField, textField } from '../json-fields.ts';

/** Names for Slack's ids. */
export interface Names {
  user(id: string): string | undefined;
  channel(id: string): string | undefined;
}

/** Maximum nesting. */
const DEEPEST = 12;

/** Converts Slack's markup to plain text: references become names, links get their labels. Emphasis marks are not removed. */
export function plainText(markup: string, names: Names): string {
  return unescaped(markup.replaceAll(/<([^<>]*)>/g, (_, inside: string) => reference(inside, names)));
}

/** Slack escapes these three, and nothing else. */
export function unescaped(text: string): string {
  return text.replaceAll(/&(lt|gt|amp);/g, (_, name: string) => (name === 'lt' ? '<' : name === 'gt' ? '>' : '&'));
}

/** Text of block elements, which apps use instead of text. */
export function blocksText(message: Fields, names: Names): string {
  return lines(recordsField(message, 'blocks').map((block) => blockText(block, names, 0)));
}

/** Legacy attachments of apps; Slack also uses them for shared messages and link previews. */
export function attachmentsText(attachments: readonly Fields[], names: Names): string {
  return lines(attachments.map((each) => attachmentText(each, names)));
}

function reference(inside: string, names: Names): string {
  const bar = inside.indexOf('|');
  const [target, label] = bar === -1 ? [inside, ''] : [inside.slice(0, bar), inside.slice(bar + 1)];
  const id = target.slice(1);
  if (target.startsWith('@')) return `@${names.user(id) ?? (label || id)}`;
  if (target.startsWith('#')) return `#${names.channel(id) ?? (label || id)}`;
  if (target.startsWith('!')) return label || `@${id.replace(/^subteam\^/, '')}`;
  return link(target, label);
}

function link(target: string, label: string): string {
  const bare = target.replace(/^(mailto:|tel:)/, '');
  if (label === '' || label === target) return bare;
  const isSame = [label, `http://${label}`, `https://${label}`, `http://${label}/`, `https://${label}/`].includes(bare);
  return isSame ? label : `${label} (${target})`;
}

function blockText(block: Fields, names: Names, depth: number): string {
  if (depth > DEEPEST) return '';
  const own = elementText(block, names);
  if (own !== undefined) return own;
  const inner = recordsField(block, 'elements').map((each) => blockText(each, names, depth + 1));
  const isLine = /^rich_text_(section|quote|preformatted)$/.test(textField(block, 'type') ?? '');
  const fields = recordsField(block, 'fields').map((each) => blockText(each, names, depth + 1));
  const heading = [asFields(block.title), asFields(block.text)].filter((each) => each !== undefined);
  return lines([
    ...heading.map((each) => blockText(each, names, depth + 1)),
    ...fields,
    isLine ? inner.join('') : lines(inner),
    textField(block, 'alt_text') ?? '',
  ]);
}

/** Text of an element; undefined if it contains other elements. */
function elementText(element: Fields, names: Names): string | undefined {
  const text = textField(element, 'text');
  switch (element.type) {
    case 'mrkdwn':
      return plainText(text ?? '', names);
    case 'plain_text':
    case 'text':
      return unescaped(text ?? '');
    case 'link':
      return link(textField(element, 'url') ?? '', text ?? '');
    case 'user':
      return reference(`@${textField(element, 'user_id') ?? ''}`, names);
    case 'channel':
      return reference(`#${textField(element, 'channel_id') ?? ''}`, names);
    case 'usergroup':
      return `@${textField(element, 'usergroup_id') ?? ''}`;
    case 'broadcast':
      return `@${textField(element, 'range') ?? ''}`;
    case 'emoji':
      return `:${textField(element, 'name') ?? ''}:`;
    case 'date':
      return textField(element, 'fallback') ?? '';
    default:
      return undefined;
  }
}

function attachmentText(attachment: Fields, names: Names): string {
  const marked = (key: string) => plainText(textField(attachment, key) ?? '', names);
  const fields = recordsField(attachment, 'fields').map((field) =>
    ['title', 'value'].map((key) => plainText(textField(field, key) ?? '', names)).join(': '),
  );
  const text = lines([marked('pretext'), marked('author_name'), marked('title'), marked('text'), ...fields]);
  return text || blocksText(attachment, names) || marked('fallback');
}

function lines(parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join('\n');
}
