import type { Transaction } from '../database.ts';

/**
 * Where emails are. An email may leave a folder before it is seen in another one, so one that is nowhere is only noted, and
 * deleted once all folders were looked at.
 */

export function addLocations(
  tx: Transaction,
  folder: number,
  locations: readonly { uid: number; message: number }[],
): void {
  tx.run(
    `insert into email_locations (folder, uid, message)
     select ?, value ->> 0, value ->> 1 from json_each(?) where true
     on conflict (folder, uid) do update set message = excluded.message where message <> excluded.message`,
    folder,
    JSON.stringify(locations.map(({ uid, message }) => [uid, message])),
  );
  refresh(
    tx,
    locations.map(({ message }) => message),
  );
}

/** Returns how many there were. */
export function removeLocations(tx: Transaction, folder: number, uids: readonly number[]): number {
  const sql =
    'delete from email_locations where folder = ? and uid in (select value from json_each(?)) returning message';
  return removed(tx, tx.all<{ message: number }>(sql, folder, JSON.stringify(uids)));
}

/** Per transaction. */
const MAX_REMOVED = 1_000;

/** Returns how many there were; zero if the folder has none. */
export function removeSomeLocations(tx: Transaction, folder: number): number {
  const sql = `delete from email_locations where folder = ?1
    and uid in (select uid from email_locations where folder = ?1 order by uid limit ?2) returning message`;
  return removed(tx, tx.all<{ message: number }>(sql, folder, MAX_REMOVED));
}

export function moveLocations(
  tx: Transaction,
  folder: number,
  target: number,
  uids: ReadonlyMap<number, number>,
): void {
  const moved = tx.all<{ uid: number; message: number }>(
    `select wanted.value ->> 1 as uid, l.message from json_each(?) as wanted
       cross join email_locations as l on l.folder = ? and l.uid = wanted.value ->> 0`,
    JSON.stringify([...uids]),
    folder,
  );
  addLocations(tx, target, moved);
  removeLocations(tx, folder, [...uids.keys()]);
}

function removed(tx: Transaction, rows: readonly { message: number }[]): number {
  refresh(
    tx,
    rows.map(({ message }) => message),
  );
  return rows.length;
}

/** What depends on the places of these emails. */
function refresh(tx: Transaction, messages: readonly number[]): void {
  const wanted = JSON.stringify([...new Set(messages)]);
  tx.run(DISCARDED, wanted);
  tx.run(NO_LONGER_UNLOCATED, wanted);
  tx.run(UNLOCATED, wanted);
}

/** What depends on the role of the folder, which has changed. */
export function refreshFolder(tx: Transaction, folder: number): void {
  tx.run(DISCARDED, tx.get<{ wanted: string }>(ALL_OF_FOLDER, folder)?.wanted ?? '[]');
}

const ALL_OF_FOLDER = 'select json_group_array(distinct message) as wanted from email_locations where folder = ?';
/** Emails that are only in the trash or among junk are not found unless they are asked for. */
const DISCARDED = `
  update emails set is_discarded = next.is_discarded from (
    select wanted.value as message, not exists (
      select 1 from email_locations as l join email_folders as f on f.key = l.folder
      where l.message = wanted.value and coalesce(f.role, '') not in ('trash', 'junk')
    ) as is_discarded
    from json_each(?) as wanted
    where exists (select 1 from email_locations where message = wanted.value)
  ) as next
  where emails.message = next.message and emails.is_discarded <> next.is_discarded`;
const UNLOCATED = `
  insert into email_unlocated (message)
  select wanted.value from json_each(?) as wanted
  where not exists (select 1 from email_locations where message = wanted.value)
  on conflict do nothing`;
const NO_LONGER_UNLOCATED = `
  delete from email_unlocated where message in (
    select wanted.value from json_each(?) as wanted
    where exists (select 1 from email_locations where message = wanted.value))`;
