import { existsSync, mkdirSync, readFileSync, watch, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PrivateTmux } from './tmux.ts';

export interface FakeAgent {
  pane: string;
  /** What it was given, one after the other. */
  events(): string[];
  /** When it has been given so much, counted from its start. */
  until(count: number): Promise<string[]>;
}

export interface FakeAgentOptions {
  /** The program it seems to be. */
  program?: string;
  look?: 'box' | 'drawn' | 'deaf';
}

/** Starts a program with a prompt in a window of its own. */
export async function startAgent(
  server: PrivateTmux,
  scratch: string,
  name: string,
  { program = 'claude', look = 'box' }: FakeAgentOptions = {},
): Promise<FakeAgent> {
  const folder = join(scratch, `agent-${Buffer.from(name).toString('hex')}`);
  mkdirSync(folder, { recursive: true });
  const script = join(folder, `${program}.mjs`);
  const record = join(folder, 'events');
  writeFileSync(record, '');
  writeFileSync(script, `await import(${JSON.stringify(join(import.meta.dirname, 'fake-agent.ts'))});\n`);
  const pane = server.addWindow(name, { command: [process.execPath, script, record, look] });
  const events = () => readFileSync(record, 'utf8').split('\n').slice(0, -1);
  const agent = { pane, events, until: (count: number) => fileShows(record, () => enough(events(), count)) };
  await agent.until(1);
  return agent;
}

function enough(events: string[], count: number): string[] | undefined {
  return events.length >= count ? events : undefined;
}

/** What `look` finds, tried anew whenever the file or its folder changes. */
export async function fileShows<T>(path: string, look: () => T | undefined): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const check = () => {
    try {
      const found = look();
      if (found !== undefined) resolve(found);
    } catch (thrown) {
      reject(thrown);
    }
  };
  const watcher = watch(existsSync(path) ? path : join(path, '..'), check);
  // A change may come between two events that the system makes one of.
  const timer = setInterval(check, 200);
  check();
  try {
    return await promise;
  } finally {
    clearInterval(timer);
    watcher.close();
  }
}
