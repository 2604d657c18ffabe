import { delimiter, dirname, isAbsolute, join } from 'node:path';

/** Folders in which package managers put programs. */
const USUAL = [
  '/usr/local/bin',
  '/opt/homebrew/bin',
  '/home/linuxbrew/.linuxbrew/bin',
  '/usr/bin',
  '/bin',
  '/usr/sbin',
  '/sbin',
  '/snap/bin',
];
/** The same, within the user's home. */
const USUAL_OF_USER = ['.local/bin', '.cargo/bin', '.bun/bin', '.deno/bin', '.local/share/pnpm', 'go/bin', 'bin'];

/**
 * PATH of servers: the daemon's own, then the folder of the Node that runs it, then the usual ones. An assistant often
 * starts the daemon with a PATH that lacks most of them. Relative entries are left out.
 */
export function searchPath(own: string | undefined, userHome: string | undefined): string {
  const ofUser = userHome === undefined ? [] : USUAL_OF_USER.map((folder) => join(userHome, folder));
  const entries = [...(own ?? '').split(delimiter), dirname(process.execPath), ...ofUser, ...USUAL];
  return [...new Set(entries.filter((entry) => isAbsolute(entry)))].join(delimiter);
}
