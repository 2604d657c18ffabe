import type { z } from 'zod';
import type { CliList } from '../../operation.ts';
import { contentOf, messageLine } from '../message-line.ts';
import type { MessageView } from '../message-view.ts';
import { notes, qualifiedChat } from './message-query.ts';

/** How messages are shown on a terminal. */
export const messageList: CliList<z.output<typeof MessageView>> = {
  key: 'messages',
  // The longest column is the last, where it shifts no other.
  columns: ['time', 'chat', 'sender', 'id', 'text'],
  wholeText: true,
  row: (message, { all }) => ({
    time: message.timestamp.replace('T', ' ').replace(/\.\d+Z$/, 'Z'),
    chat: all.some(({ source }) => source !== message.source) ? qualifiedChat(message) : message.chat,
    sender: message.sender,
    id: message.id,
    text: contentOf(message),
  }),
  line: (message) => messageLine(message),
  notes: (output) => notes(output),
};
