import { existsSync, mkdirSync, readFileSync, watch, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PrivateTmux } from './tmux.ts';

export interface FakeAgent {
  pane: string;
  /** Its input so far, in order. */
  events(): string[];
  /** Resolves when it has received this many lines since its start. */
  until(count: number): Promise<string[]>;
}

export interface FakeAgentOptions {
  /** The program name that it runs under. */
  program?: string;
  look?: 'box' | 'drawn' | 'deaf';
}

/** Starts a program with a prompt in a separate window. */
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

/** The result of `look`, retried whenever the file or its folder changes. */
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
  // The system may merge two changes into one event.
  const timer = setInterval(check, 200);
  check();
  try {
    return await promise;
  } finally {
    clearInterval(timer);
    watcher.close();
  }
}
