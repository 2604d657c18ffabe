import { chmodSync, cpSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import { announced, end, type Program, runToEnd, start } from '../process.ts';
import type { Setting } from './contender.ts';

const CLI = join(import.meta.dirname, '..', '..', '..', 'dist', 'cli.js');
const LEARNING_MS = 60_000;

export type OurHomes = Awaited<ReturnType<typeof prepareHomes>>;

/** Homes with so many servers, which they know. Each start gets a copy. */
export async function prepareHomes(folder: string, echo: string, counts: readonly number[]) {
  for (const count of counts) await prepareHome(join(folder, `home-${count}`), echo, count);

  function copy({ upstreams, folder: target, isKnown }: Setting): Record<string, string> {
    const home = join(target, 'home');
    cpSync(join(folder, `home-${upstreams}`), home, { recursive: true });
    // The modes of folders are not copied, and compiled code is not used where others could have written it.
    chmodSync(join(home, 'run'), 0o700);
    if (!isKnown) forgetOffers(home);
    return { SWITCHBOARD_HOME: home };
  }

  return {
    daemon: (setting: Setting): Program => ({
      args: [CLI, 'serve', '--port', String(setting.port)],
      env: copy(setting),
    }),
    /** Starts a daemon, too. */
    shim: (setting: Setting): Program => ({ args: [CLI, 'mcp'], env: copy(setting) }),
  };
}

async function prepareHome(home: string, echo: string, count: number): Promise<void> {
  mkdirSync(home, { recursive: true });
  const env = { SWITCHBOARD_HOME: home };
  const running = start({ args: [CLI, 'serve', '--port', '0'], env });
  await announced(running, /http:\/\/127\.0\.0\.1:\d+/);
  for (let number = 0; number < count; number++) {
    const add = ['servers', 'add', `s${number}`, '--binary', process.execPath, '--', echo, `s${number}`];
    await runToEnd({ args: [CLI, ...add], env });
  }
  const giveUpAt = performance.now() + LEARNING_MS;
  while (offersIn(home) < count) {
    if (performance.now() > giveUpAt) throw new Error('The servers did not start.');
    await delay(50);
  }
  await end(running, 'SIGTERM');
}

/** How many servers it knows the tools of. */
function offersIn(home: string): number {
  return withStore(home, (db) => {
    const { known } = db.prepare('select count(manifest) as known from servers').get() as { known: number };
    return known;
  });
}

function forgetOffers(home: string): void {
  withStore(home, (db) => db.exec('update servers set manifest = null, pins = null'));
}

function withStore<T>(home: string, use: (db: DatabaseSync) => T): T {
  const db = new DatabaseSync(join(home, 'switchboard.db'), { timeout: 5_000 });
  try {
    return use(db);
  } finally {
    db.close();
  }
}
