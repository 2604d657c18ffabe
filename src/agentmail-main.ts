#!/usr/bin/env node
import { runAgentmailProgram } from './agentmail-program.ts';

const NEEDED_NODE = 24;

const args = process.argv.slice(2);
if (Number.parseInt(process.versions.node, 10) < NEEDED_NODE) {
  const { runAgainWithNewerNode } = await import('./lib/newer-node.ts');
  runAgainWithNewerNode(import.meta.url, args, NEEDED_NODE);
} else {
  // Exits immediately: everything is written, and a regular shutdown of Node takes a tenth of a short command's time.
  process.exit(await runAgentmailProgram(args));
}
