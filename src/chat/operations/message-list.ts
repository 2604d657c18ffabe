import type { z } from 'zod';
import type { CliList } from '../../operation.ts';
import { contentOf, messageLine } from '../message-line.ts';
import type { MessageView } from '../message-view.ts';
import { notes } from './message-query.ts';

/** Messages as people see them on a terminal. */
export const messageList: CliList<z.output<typeof MessageView>> = {
  key: 'messages',
  columns: ['time', 'chat', 'sender', 'text', 'id'],
  row: (message) => ({
    time: message.timestamp.replace('T', ' ').replace(/\.\d+Z$/, 'Z'),
    chat: message.chat,
    sender: message.sender,
    text: contentOf(message),
    id: message.id,
  }),
  line: (message) => messageLine(message),
  notes: (output) => notes(output),
};
