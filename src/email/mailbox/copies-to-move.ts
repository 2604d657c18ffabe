import type { FolderRole } from '../../domain/email.ts';
import type { EmailLocation, StoredEmail, StoredFolder } from '../ports.ts';

/** Which copies of an email are moved into a folder: an email may be in several. */
export type CopiesToMove = (email: StoredEmail, target: StoredFolder) => readonly EmailLocation[];

/** An email that was sent to oneself is among the sent ones, too, and on some servers in a folder of everything. */
const STAYING: ReadonlySet<FolderRole | undefined> = new Set(['sent', 'drafts', 'all']);

export const everyCopy: CopiesToMove = ({ locations }) => locations;

/** All but those that stay, unless it is nowhere else. */
export const copiesToFile: CopiesToMove = ({ locations }) => {
  const others = locations.filter(({ role }) => !STAYING.has(role));
  return others.length > 0 ? others : locations;
};

/** What is in the inbox leaves it. Of other emails one copy moves, if none is in the archive: not that of a user's own folder. */
export const copiesToArchive: CopiesToMove = ({ locations }, target) => {
  const inbox = locations.filter(({ role }) => role === 'inbox');
  if (inbox.length > 0) return inbox;
  if (locations.some(({ folder }) => folder === target.key)) return [];
  const others = locations.filter(({ role }) => !STAYING.has(role));
  return [others.find(({ role }) => role !== undefined) ?? others[0]].filter((copy) => copy !== undefined);
};
