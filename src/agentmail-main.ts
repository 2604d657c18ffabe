#!/usr/bin/env node
const NEEDED_NODE = 24;

const args = process.argv.slice(2);
// Everything else is imported late: an older Node could not parse it.
if (Number.parseInt(process.versions.node, 10) < NEEDED_NODE) {
  const { runAgainWithNewerNode } = await import('./lib/newer-node.ts');
  runAgainWithNewerNode(import.meta.url, args, NEEDED_NODE);
} else {
  const { runAgentmailProgram } = await import('./agentmail-program.ts');
  process.exitCode = await runAgentmailProgram(args);
}
