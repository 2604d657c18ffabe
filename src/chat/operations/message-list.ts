import type { z } from 'zod';
import type { CliList } from '../../operation.ts';
import { contentOf, messageLine } from '../message-line.ts';
import type { MessageView } from '../message-view.ts';
import { notes, placeOf } from './message-query.ts';

/** Messages as people see them on a terminal. */
export const messageList: CliList<z.output<typeof MessageView>> = {
  key: 'messages',
  // What is long stands last, where it pushes nothing out of its column.
  columns: ['time', 'chat', 'sender', 'id', 'text'],
  row: (message, { all }) => ({
    time: message.timestamp.replace('T', ' ').replace(/\.\d+Z$/, 'Z'),
    chat: all.some(({ source }) => source !== message.source) ? placeOf(message) : message.chat,
    sender: message.sender,
    id: message.id,
    text: contentOf(message),
  }),
  line: (message) => messageLine(message),
  notes: (output) => notes(output),
};
