import { existsSync, mkdirSync, readFileSync, watch, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RecordedScreen } from './recorded-screens.ts';
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
  /** How it behaves: see `fake-agent.ts`. */
  look?: 'plain' | 'drawn' | 'deaf' | 'multiline' | 'commands' | 'dialog';
}

/** Starts a program with a prompt in a separate window. */
export async function startAgent(
  server: PrivateTmux,
  scratch: string,
  name: string,
  { program = 'claude', look = 'plain' }: FakeAgentOptions = {},
): Promise<FakeAgent> {
  return startProgram(server, scratch, name, { program, file: 'fake-agent.ts', args: [look, program] });
}

/** Starts a program that shows a recorded screen, in a window of the recorded size. */
export async function startScreen(
  server: PrivateTmux,
  scratch: string,
  name: string,
  { program, label, width, height }: RecordedScreen,
): Promise<FakeAgent> {
  const size = { width, height };
  return startProgram(server, scratch, name, { program, file: 'screen-program.ts', args: [label], size });
}

interface StartProgram {
  program: string;
  file: string;
  args: readonly string[];
  size?: { width: number; height: number };
}

async function startProgram(
  server: PrivateTmux,
  scratch: string,
  name: string,
  { program, file, args, size }: StartProgram,
): Promise<FakeAgent> {
  const folder = join(scratch, `agent-${Buffer.from(name).toString('hex')}`);
  mkdirSync(folder, { recursive: true });
  const script = join(folder, `${program}.mjs`);
  const record = join(folder, 'events');
  writeFileSync(record, '');
  writeFileSync(script, `await import(${JSON.stringify(join(import.meta.dirname, file))});\n`);
  const pane = server.addWindow(name, { command: [process.execPath, script, record, ...args] });
  if (size) server.tmux('resize-window', '-t', pane, '-x', String(size.width), '-y', String(size.height));
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
