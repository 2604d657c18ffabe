#!/usr/bin/env node
import { runAgentmailProgram } from './agentmail-program.ts';
import { exitAtOnce } from './lib/exit-at-once.ts';

const NEEDED_NODE = 24;

const args = process.argv.slice(2);
if (Number.parseInt(process.versions.node, 10) < NEEDED_NODE) {
  const { runAgainWithNewerNode } = await import('./lib/newer-node.ts');
  runAgainWithNewerNode(import.meta.url, args, NEEDED_NODE);
} else {
  exitAtOnce(await runAgentmailProgram(args));
}
