import type { ChatType, InboundChat, Sender } from '../../../domain/chat.ts';
import { asFields, type Fields, textField, textsField } from '../json-fields.ts';
import { type Names, unescaped } from './text.ts';

/** The lists at the top of an export; missing ones are empty. */
export interface Lists {
  users: readonly Fields[];
  channels: readonly Fields[];
  groups: readonly Fields[];
  mpims: readonly Fields[];
  dms: readonly Fields[];
}

/** Names of users, and the conversation of each folder. */
export interface SlackDirectory extends Names {
  /** `profile` is in the message itself: the only information about people of other workspaces. */
  person(id: string, profile?: Fields): Sender;
  /** A folder that is in no list is a channel of that name. */
  chatIn(folder: string): InboundChat;
}

export function createDirectory(lists: Lists, me?: string): SlackDirectory {
  const users = new Map(lists.users.flatMap((user) => namedUser(user)));
  const chats = new Map<string, InboundChat>();
  const channels = new Map<string, string>();

  function add(record: Fields, type: ChatType, nameOf: (record: Fields, members: readonly string[]) => string): void {
    const id = textField(record, 'id');
    if (id === undefined) return;
    const members = [...new Set(textsField(record, 'members'))];
    const name = nameOf(record, members);
    const chat: InboundChat = { id, name, type, ...(members.length > 0 ? { participantCount: members.length } : {}) };
    if (type === 'channel') channels.set(id, name);
    // A folder is named after the channel at the time of the export, or after its id.
    for (const folder of [...textsField(record, 'previous_names'), textField(record, 'name'), id]) {
      if (folder !== undefined) chats.set(folder, chat);
    }
  }

  function namesOf(members: readonly string[]): string {
    const others = members.filter((id) => !isMe(id, users.get(id), me));
    return (others.length > 0 ? others : members).map((id) => users.get(id) ?? id).join(', ');
  }

  for (const record of lists.channels) add(record, 'channel', givenName);
  for (const record of lists.groups) add(record, 'channel', givenName);
  for (const record of lists.mpims) add(record, 'group', (each, members) => namesOf(members) || givenName(each));
  for (const record of lists.dms) add(record, 'direct', (each, members) => namesOf(members) || givenName(each));

  return {
    user: (id) => users.get(id),
    channel: (id) => channels.get(id),
    person: (id, profile) => ({ id, name: users.get(id) ?? profileName(profile) ?? id }),
    chatIn: (folder) => chats.get(folder) ?? { id: folder, name: folder, type: 'channel' },
  };
}

/** Whether this is the user given by `--me`, by id or name. */
export function isMe(id: string, name: string | undefined, me: string | undefined): boolean {
  return me !== undefined && (id === me || name?.toLowerCase() === me.toLowerCase());
}

function namedUser(user: Fields): [string, string][] {
  const id = textField(user, 'id');
  const name = profileName(asFields(user.profile)) ?? profileName(user);
  return id === undefined || name === undefined ? [] : [[id, name]];
}

function profileName(profile: Fields | undefined): string | undefined {
  const name = ['display_name', 'real_name', 'name'].flatMap((key) => textField(profile ?? {}, key) ?? [])[0];
  return name === undefined ? undefined : unescaped(name);
}

function givenName(record: Fields): string {
  return unescaped(textField(record, 'name') ?? textField(record, 'id') ?? '');
}
