import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../temporary-folder.ts';

export interface SmallDisk {
  path: string;
  setWritable(writable: boolean): void;
}

/** A file system of this many bytes, where this user may mount one; otherwise nothing. */
export function mountSmallDisk(bytes: number, onEnd: (clean: () => void) => void): SmallDisk | undefined {
  const folder = temporaryFolder(() => {});
  const [whole, path] = [join(folder, 'whole'), join(folder, 'disk')];
  for (const place of [whole, path]) mkdirSync(place);
  const mounted: string[] = [];
  const clean = () => {
    for (const place of mounted.toReversed()) run('umount', '--lazy', place);
    rmSync(folder, { recursive: true });
  };
  try {
    run('mount', '-t', 'tmpfs', '-o', `size=${bytes}`, 'switchboard-test', whole);
    mounted.push(whole);
    // Seen through a second mount, which can be made read-only by itself.
    run('mount', '--bind', whole, path);
    mounted.push(path);
  } catch {
    clean();
    return undefined;
  }
  onEnd(clean);
  return { path, setWritable: (writable) => run('mount', '-o', `remount,bind,${writable ? 'rw' : 'ro'}`, path) };
}

function run(command: string, ...args: string[]): void {
  execFileSync(command, args, { stdio: 'pipe' });
}
