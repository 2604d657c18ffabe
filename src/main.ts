#!/usr/bin/env node
import { version } from './lib/version.ts';

const NEEDED_NODE = 24;

// Everything else is imported late: an older Node could not parse it, and `--version` should cost nothing.
const args = process.argv.slice(2);
if (Number.parseInt(process.versions.node, 10) < NEEDED_NODE) {
  const { runAgainWithNewerNode } = await import('./lib/newer-node.ts');
  runAgainWithNewerNode(import.meta.url, args, NEEDED_NODE);
} else if (args.length === 1 && (args[0] === '--version' || args[0] === '-v')) {
  process.stdout.write(`${version()}\n`);
} else {
  const { run } = await import('./cli/run.ts');
  process.exitCode = await run(args);
}
