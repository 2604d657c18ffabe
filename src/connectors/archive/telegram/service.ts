import { type Fields, integerField, listField, textField } from '../json-fields.ts';
import { textOf } from './text.ts';

const SENTENCES: Readonly<Record<string, (message: Fields) => string>> = {
  create_group: (message) => `created the group${quoted(message, 'title')}${members(message, ' with ')}`,
  create_channel: (message) => `created the channel${quoted(message, 'title')}`,
  edit_group_title: (message) => `changed the name to${quoted(message, 'title')}`,
  edit_group_photo: () => 'changed the photo',
  delete_group_photo: () => 'removed the photo',
  edit_chat_theme: () => 'changed the theme',
  invite_members: (message) => `invited${members(message, ' ')}`,
  remove_members: (message) => `removed${members(message, ' ')}`,
  join_group_by_link: () => 'joined by an invitation link',
  join_group_by_request: () => 'was let in',
  migrate_to_supergroup: () => 'made the group a supergroup',
  migrate_from_group: (message) => `made a supergroup of the group${quoted(message, 'title')}`,
  pin_message: () => 'pinned a message',
  clear_history: () => 'cleared the history',
  phone_call: (message) => `called${lasting(message)}`,
  group_call: (message) => `began a group call${lasting(message)}`,
  topic_created: (message) => `created the topic${quoted(message, 'title')}`,
  topic_edit: (message) => `changed the topic${quoted(message, 'new_title')}`,
  joined_telegram: () => 'joined Telegram',
  take_screenshot: () => 'took a screenshot',
  set_messages_ttl: () => 'changed how long messages stay',
};

/** Text of a service message. An unknown action is shown by its name. */
export function serviceText(message: Fields): string {
  const action = textField(message, 'action') ?? 'service message';
  const sentence = Object.hasOwn(SENTENCES, action) ? SENTENCES[action]?.(message) : undefined;
  const said = textOf(message);
  return [sentence ?? action.replaceAll('_', ' '), ...(said === '' ? [] : [said])].join(': ');
}

function quoted(message: Fields, field: string): string {
  const value = textField(message, field);
  return value === undefined ? '' : ` “${value}”`;
}

/** Members with deleted accounts have no names. */
function members(message: Fields, before: string): string {
  const names = listField(message, 'members').map((name) => (typeof name === 'string' ? name : 'Deleted Account'));
  return names.length === 0 ? '' : before + names.join(', ');
}

function lasting(message: Fields): string {
  const seconds = integerField(message, 'duration_seconds') ?? integerField(message, 'duration');
  const reason = textField(message, 'discard_reason');
  const facts = [...(seconds === undefined ? [] : [`${seconds} seconds`]), ...(reason === undefined ? [] : [reason])];
  return facts.length === 0 ? '' : ` (${facts.join(', ')})`;
}
