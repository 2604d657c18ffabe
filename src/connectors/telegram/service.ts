import type { tl } from '@mtcute/core';

/** A line for what Telegram itself writes into a chat. `nameOf` gives the name of a user. */
export function serviceText(action: tl.TypeMessageAction, sender: string, nameOf: (user: number) => string): string {
  switch (action._) {
    case 'messageActionChatCreate':
    case 'messageActionChannelCreate':
      return `${sender} created “${action.title}”`;
    case 'messageActionChatEditTitle':
      return `${sender} changed the name to “${action.title}”`;
    case 'messageActionChatEditPhoto':
      return `${sender} changed the photo`;
    case 'messageActionChatDeletePhoto':
      return `${sender} removed the photo`;
    case 'messageActionChatAddUser': {
      const names = action.users.slice(0, MAX_NAMES).map(nameOf).join(', ');
      return names === sender ? `${sender} joined` : `${sender} added ${names}`;
    }
    case 'messageActionChatDeleteUser': {
      const name = nameOf(action.userId);
      return name === sender ? `${sender} left` : `${sender} removed ${name}`;
    }
    case 'messageActionChatJoinedByLink':
    case 'messageActionChatJoinedByRequest':
      return `${sender} joined`;
    case 'messageActionPinMessage':
      return `${sender} pinned a message`;
    case 'messageActionPhoneCall':
      return `${sender} called${action.duration ? ` (${action.duration} s)` : ''}`;
    case 'messageActionChatMigrateTo':
    case 'messageActionChannelMigrateFrom':
      return 'The group became a supergroup';
    case 'messageActionTopicCreate':
      return `${sender} created the topic “${action.title}”`;
    case 'messageActionCustomAction':
      return action.message;
    case 'messageActionContactSignUp':
      return `${sender} joined Telegram`;
    default:
      return `${sender}: ${action._.replace(/^messageAction/, '').replace(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)}`;
  }
}

const MAX_NAMES = 20;
