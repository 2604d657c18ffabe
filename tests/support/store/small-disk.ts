import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../temporary-folder.ts';

export interface SmallDisk {
  path: string;
  setWritable(writable: boolean): void;
}

/** A file system of this many bytes, if this user may mount one; otherwise undefined. */
export function mountSmallDisk(bytes: number, onEnd: (clean: () => void) => void): SmallDisk | undefined {
  const folder = temporaryFolder(() => {});
  const [whole, path] = [join(folder, 'whole'), join(folder, 'disk')];
  for (const place of [whole, path]) mkdirSync(place);
  const unmount = (place: string) => run('umount', '--lazy', place);
  // A second mount of the same files, which can be made read-only by itself. It is recreated each time: an existing one is busy
  // as long as a killed process has files open in it.
  const showAt = (mode: 'rw' | 'ro') => {
    run('mount', '--bind', whole, path);
    run('mount', '-o', `remount,bind,${mode}`, path);
  };
  try {
    run('mount', '-t', 'tmpfs', '-o', `size=${bytes}`, 'switchboard-test', whole);
  } catch {
    rmSync(folder, { recursive: true });
    return undefined;
  }
  showAt('rw');
  onEnd(() => {
    unmount(path);
    unmount(whole);
    rmSync(folder, { recursive: true });
  });
  return {
    path,
    setWritable(writable) {
      unmount(path);
      showAt(writable ? 'rw' : 'ro');
    },
  };
}

function run(command: string, ...args: string[]): void {
  execFileSync(command, args, { stdio: 'pipe' });
}
