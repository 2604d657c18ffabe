#!/usr/bin/env node
import { fileURLToPath } from 'node:url';
import { keepCompiledCode } from './lib/compiled-code.ts';
import { tuneGarbageCollection } from './lib/garbage-collection.ts';
import { version } from './lib/version.ts';

const MIN_NODE_VERSION = 24;

/**
 * Commands that run for long. Only these use the compile cache, because a short command would store too little code
 * in it.
 */
const LONG_RUNNING: ReadonlySet<string> = new Set(['mcp', 'serve', 'daemon']);

// Everything else is imported late: an older Node could not parse it, and `--version` should cost nothing.
const args = process.argv.slice(2);
if (Number.parseInt(process.versions.node, 10) < MIN_NODE_VERSION) {
  const { runAgainWithNewerNode } = await import('./lib/newer-node.ts');
  runAgainWithNewerNode(import.meta.url, args, MIN_NODE_VERSION);
} else if (args.length === 1 && (args[0] === '--version' || args[0] === '-v')) {
  process.stdout.write(`${version()}\n`);
} else {
  process.exitCode = await runProgram();
}

/** `mcp` runs as a shim if possible: it starts ten times as fast as the full program. */
async function runProgram(): Promise<number> {
  if (args[0] === 'agentmail') {
    const { isOfAgentmail, runAgentmailProgram } = await import('./agentmail-program.ts');
    const line = args.slice(1);
    if (isOfAgentmail(line)) return runAgentmailProgram(line);
  }
  const { remoteOptions, shimOptions } = await import('./shim/line.ts');
  const remote = remoteOptions(args, process.env);
  if (remote) return (await import('./shim/remote.ts')).runRemote(remote);
  const options = shimOptions(args, process.env, fileURLToPath(import.meta.url));
  if (options) {
    const { runShim } = await import('./shim/run.ts');
    const served = await runShim(options);
    if (typeof served === 'number') return served;
    args.push('--embedded', ...(served.session === undefined ? [] : ['--session', served.session]));
  }
  const isLongRunning = LONG_RUNNING.has(args[0] ?? '');
  if (isLongRunning) keepCompiledCode(process.env);
  const { run } = await import('./cli/run.ts');
  if (isLongRunning) tuneGarbageCollection();
  return run(args);
}
