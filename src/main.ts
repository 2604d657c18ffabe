#!/usr/bin/env node
import { keepCompiledCode } from './lib/compiled-code.ts';
import { version } from './lib/version.ts';

const NEEDED_NODE = 24;

/** Commands that go on running. What a short one leaves compiled would be too little for them. */
const STAYS: ReadonlySet<string> = new Set(['mcp']);

// Everything else is imported late: an older Node could not parse it, and `--version` should cost nothing.
const args = process.argv.slice(2);
if (Number.parseInt(process.versions.node, 10) < NEEDED_NODE) {
  const { runAgainWithNewerNode } = await import('./lib/newer-node.ts');
  runAgainWithNewerNode(import.meta.url, args, NEEDED_NODE);
} else if (args.length === 1 && (args[0] === '--version' || args[0] === '-v')) {
  process.stdout.write(`${version()}\n`);
} else {
  if (STAYS.has(args[0] ?? '')) keepCompiledCode(process.env);
  const { run } = await import('./cli/run.ts');
  process.exitCode = await run(args);
}
