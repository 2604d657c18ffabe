import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { childEnvironment } from '../../../src/lib/child-environment.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import { createServerOutput } from '../../../src/servers/process/output.ts';
import type { LaunchPlan, ServerOutput } from '../../../src/servers/process/server-process.ts';

/** How a program of this folder is started. */
export function nodePlan(cwd: string, name: string, args: readonly string[] = []): LaunchPlan {
  const program = fileURLToPath(new URL(`process-${name}.mjs`, import.meta.url));
  return { command: process.execPath, args: [program, ...args], cwd, env: childEnvironment(process.env) };
}

export function quietOutput(): ServerOutput {
  return createServerOutput({ clock: systemClock, mask: (text) => text });
}

/** Reads lines, each when it is asked for. */
export function linesOf(stream: Readable): () => Promise<string> {
  const lines = createInterface({ input: stream })[Symbol.asyncIterator]();
  return async () => String((await lines.next()).value);
}

/** The first line; the rest is read and dropped. */
export async function firstLine(stream: Readable): Promise<string> {
  const [line] = await once(createInterface({ input: stream }), 'line');
  return String(line);
}
