import { type ChildProcess, spawn } from 'node:child_process';

/** Ends processes when this one dies without stopping them. */
export interface ProcessGuard {
  add(group: number): void;
  remove(group: number): void;
  /** Ends the guard, and groups that were not removed. Resolves when it has exited, with whether there were none. */
  close(): Promise<boolean>;
}

/**
 * Reads `add GROUP` and `del GROUP`. The end of its input is our end: then it ends the groups, and what carries our mark
 * outside of them (Linux). Group 0 would be its own and -1 all processes. The mark is `$1`; it may be empty.
 */
const SCRIPT = `
trap '' HUP INT QUIT TERM
mark=$1
groups=' '
while read -r word group; do
  case $group in '' | 0* | 1 | *[!0-9]*) continue ;; esac
  case $word in
    add) groups="$groups$group " ;;
    del) case $groups in *" $group "*) groups="\${groups%%" $group "*} \${groups#*" $group "}" ;; esac ;;
  esac
done
signal() {
  found=1
  for group in $groups; do kill -s "$1" -- "-$group" && found=0; done
  [ -z "$mark" ] || for file in $(grep -lsF -e "$mark" /proc/[0-9]*/environ); do
    file=\${file#/proc/}
    kill -s "$1" "\${file%/environ}" && found=0
  done
  return $found
}
signal TERM || exit 0
for round in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
  sleep 0.1
  signal 0 || exit 0
done
signal KILL
`;

/** A guard that ended sooner is not started again at once: something prevents it. */
const SHORTEST_LIFE_MS = 1_000;

/**
 * One small process that guards all groups, started with the first of them. `mark` is the beginning of a variable in
 * the environment of guarded processes.
 */
export function createProcessGuard({ mark = '' }: { mark?: string } = {}): ProcessGuard {
  const groups = new Set<number>();
  let running: ChildProcess | undefined;

  function start(): ChildProcess {
    const began = performance.now();
    // Its own session: signals to our group, such as Ctrl-C, do not reach it. No descriptor of ours, no folder of ours.
    const child = spawn('/bin/sh', ['-c', SCRIPT, 'sh', mark], {
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
      cwd: '/',
      env: { PATH: '/usr/bin:/bin' },
    });
    // It must not keep this process alive, nor can it be helped if it does not start: the others run without it.
    child.unref();
    unref(child.stdin);
    child.stdin?.on('error', () => {});
    child.on('error', () => {});
    child.once('exit', () => {
      if (running !== child) return;
      running = undefined;
      if (groups.size > 0 && performance.now() - began >= SHORTEST_LIFE_MS) running = start();
    });
    for (const group of groups) child.stdin?.write(`add ${group}\n`);
    return child;
  }

  return {
    add(group) {
      if (!Number.isSafeInteger(group) || group <= 1) return;
      groups.add(group);
      if (running) running.stdin?.write(`add ${group}\n`);
      else running = start();
    },
    remove(group) {
      if (groups.delete(group)) running?.stdin?.write(`del ${group}\n`);
    },
    async close() {
      const child = running;
      const hadNone = groups.size === 0;
      running = undefined;
      groups.clear();
      if (child?.pid === undefined || child.exitCode !== null || child.signalCode !== null) return hadNone;
      const { promise, resolve } = Promise.withResolvers<void>();
      child.ref();
      child.once('exit', () => resolve());
      child.stdin?.end();
      await promise;
      return hadNone;
    },
  };
}

/** The pipe is a socket, which the type does not show. */
function unref(stream: unknown): void {
  if (typeof stream === 'object' && stream !== null && 'unref' in stream && typeof stream.unref === 'function') {
    stream.unref();
  }
}
