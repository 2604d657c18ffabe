import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import type { ProgramOptions } from '../program.ts';
import { startProgram } from '../program.ts';
import { rpcOverLines } from './rpc-lines.ts';

type Start = Omit<ProgramOptions, 'stdin'>;

/** `switchboard mcp` on standard input and output, with a client on the other end of both. */
export function startStdio(options: Start = {}, args: readonly string[] = []) {
  const program = startProgram(['mcp', '--embedded', ...args], options);
  // A program that has exited does not read; the test checks its exit.
  program.stdin.on('error', () => {});
  const stderr = text(program.stderr);
  const closed = once(program, 'close') as Promise<[number | null, string | null]>;
  const client = rpcOverLines(program.stdin, program.stdout);

  return {
    ...client,
    signal: (name: NodeJS.Signals) => void program.kill(name),
    /** Its exit, and its output besides the protocol. */
    async ended() {
      const [code, signal] = await closed;
      return { code, signal, stderr: await stderr, noise: client.noise };
    },
    /** Closes its input, as a client does that disconnects. */
    async stop() {
      client.end();
      return this.ended();
    },
  };
}

/** `switchboard mcp --port`, listening; on a free port unless the test gives one. */
export async function startHttp(
  { port = 0, ...options }: Start & { port?: number } = {},
  args: readonly string[] = [],
) {
  const program = startProgram(['mcp', '--port', String(port), ...args], options);
  const closed = once(program, 'close') as Promise<[number | null, string | null]>;
  const stdout = text(program.stdout);
  const log: string[] = [];
  const lines = createInterface({ input: program.stderr });
  const listening = new Promise<string>((resolve, reject) => {
    lines.on('line', (line) => {
      log.push(line);
      const [, base] = /"url":"(http:[^"]+)\/mcp"/.exec(line) ?? [];
      if (base) resolve(base);
    });
    lines.once('close', () => reject(new Error(`it does not listen:\n${log.join('\n')}`)));
  });
  const base = await listening;

  return {
    url: `${base}/mcp`,
    base,
    log: log as readonly string[],
    signal: (name: NodeJS.Signals) => void program.kill(name),
    async ended() {
      const [code, signal] = await closed;
      return { code, signal, stdout: await stdout, stderr: log.join('\n') };
    },
    async stop() {
      program.kill('SIGTERM');
      return this.ended();
    },
  };
}
