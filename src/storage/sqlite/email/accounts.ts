import { AppError } from '../../../domain/errors.ts';
import type { AccountRepository, AccountRow } from '../../../email/ports.ts';
import type { Database } from '../database.ts';

interface Row {
  id: string;
  settings: string;
  created_at: number;
}

export function createAccountRepository(db: Database): AccountRepository {
  return {
    list: () =>
      db.read((reader) => reader.all<Row>('select * from email_accounts order by created_at, id').map(toAccount)),
    add: ({ id, settings, createdAt }) =>
      db.write((tx) => {
        const added = tx.run(
          'insert into email_accounts (id, settings, created_at) values (?, ?, ?) on conflict do nothing',
          id,
          JSON.stringify(settings),
          createdAt,
        );
        if (added === 0) {
          throw new AppError('CONFLICT', 'An account with this id already exists.', {
            field: 'id',
            hint: 'Choose another id, or remove that account first.',
          });
        }
      }),
    remove: (id) => db.write((tx) => tx.run('delete from email_accounts where id = ?', id) > 0),
  };
}

function toAccount({ id, settings, created_at: createdAt }: Row): AccountRow {
  return { id, settings: JSON.parse(settings) as AccountRow['settings'], createdAt };
}
