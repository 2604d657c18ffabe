import { type FolderRole, folderRoleNamed } from '../../../domain/email.ts';
import type { Reader } from '../database.ts';
import { fold } from './fold.ts';

/** Where names are looked up: only in these sources, so that a caller learns nothing of others. */
export interface PlaceNames {
  reader: Reader;
  /** Keys. */
  sources: readonly number[];
}

/**
 * Chats with this id or name. `part`: the name may contain the text, except that of a conversation about one subject, whose name
 * is text. `direct`: the same for direct chats only.
 */
export function chatKeys({ reader, sources }: PlaceNames, wanted: string, by: 'part' | 'exactly' | 'direct'): number[] {
  const sql = { part: CHATS, exactly: CHATS_BY_WHOLE_NAME, direct: DIRECT_CHATS }[by];
  return reader.all<{ key: number }>(sql, wanted, fold(wanted).trim(), JSON.stringify(sources)).map(({ key }) => key);
}

const CHATS_BY_WHOLE_NAME = `
  select key from chats where source in (select value from json_each(?3)) and (id = ?1 or (?2 <> '' and folded_name = ?2))`;
const NAME_CONTAINS = `(id = ?1 or (?2 <> '' and (folded_name = ?2 or (type <> 'thread' and instr(folded_name, ?2) > 0))))`;
const CHATS = `select key from chats where source in (select value from json_each(?3)) and ${NAME_CONTAINS}`;
const DIRECT_CHATS = `${CHATS} and type = 'direct'`;

export interface NamedFolder {
  key: number;
  path: string;
  role: FolderRole | null;
}

/** Folders of emails with this role or name. */
export function foldersNamed({ reader, sources }: PlaceNames, wanted: string): NamedFolder[] {
  return reader.all<NamedFolder>(FOLDERS, JSON.stringify(sources)).filter((folder) => isFolderNamed(folder, wanted));
}

const FOLDERS = `
  select f.key, f.path, f.role from email_folders as f join chat_sources as o on o.id = f.account
  where o.key in (select value from json_each(?))`;

/** By its role, its path, or the last part of that. */
export function isFolderNamed(
  { path, role }: { path: string; role?: FolderRole | null | undefined },
  wanted: string,
): boolean {
  const wantedRole = folderRoleNamed(wanted);
  if (wantedRole !== undefined && role === wantedRole) return true;
  const [name, folded] = [fold(wanted).trim(), fold(path)];
  return folded.trim() === name || folded.split(/[/.]/).at(-1)?.trim() === name;
}
