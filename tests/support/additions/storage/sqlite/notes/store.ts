import type { SqliteParts } from '../../../../../../src/storage/definition.ts';
import type { Note, NoteStore } from '../../../notes/ports.ts';

export function open({ db }: SqliteParts): NoteStore {
  return {
    add: ({ text, at }) =>
      db.write((tx) => {
        tx.run('insert into notes (text, at) values (?, ?)', text, at);
      }),
    list: () => db.read((reader) => reader.all<Note>('select text, at from notes order by position desc')),
    deleteBefore: (timestamp) => db.write((tx) => tx.run('delete from notes where at < ?', timestamp)),
  };
}
