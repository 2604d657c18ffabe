import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Runs this program again with the checkout's Node and returns its exit code. Must itself run on old versions of
 * Node.
 */
export function runAgainWithNewerNode(program: string, args: readonly string[], needed: number): void {
  const path = fileURLToPath(program);
  const node = join(dirname(dirname(path)), 'node_modules', '.bin', 'node');
  if (!existsSync(node)) {
    process.stderr.write(
      `Switchboard needs Node ${needed} or newer, and this is ${process.versions.node}. Install it from https://nodejs.org, or run \`npm ci\` in a checkout.\n`,
    );
    process.exitCode = 1;
    return;
  }
  const child = spawn(node, [path, ...args], { stdio: 'inherit' });
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  for (const signal of signals) {
    // A terminal's Ctrl-C reaches the whole foreground group, the child too: once is enough.
    process.on(signal, () => (signal === 'SIGINT' && process.stdin.isTTY ? undefined : child.kill(signal)));
  }
  child.on('error', (error) => {
    process.stderr.write(`Switchboard could not be started with ${node}: ${error.message}\n`);
    process.exitCode = 1;
  });
  child.on('exit', (code, signal) => {
    if (signal === null) process.exit(code ?? 1);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}
