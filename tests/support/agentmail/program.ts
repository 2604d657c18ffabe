import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { type ProgramResult, programEnvironment } from '../program.ts';
import { type PrivateTmux, startTmux } from './tmux.ts';

/** The output of `npm run build`. */
export const agentmailPath = join(import.meta.dirname, '..', '..', '..', 'dist', 'agentmail.js');

export interface AgentmailOptions {
  cwd: string;
  env?: Record<string, string>;
  /** Written to standard input; by default standard input is /dev/null. */
  stdin?: string;
}

/** A repository, a private tmux server in it, and the built program. */
export interface MailWorld {
  project: string;
  server: PrivateTmux;
  /** Runs the program as if it had been started in this pane. */
  as(pane: string, ...args: string[]): Promise<ProgramResult>;
  /** The content of a mailbox, or of `recipients.jsonl` for `undefined`. */
  mailbox(name: string): Record<string, unknown>[];
  states(): Record<string, unknown>[];
}

export function createMailWorld(onEnd: (end: () => void) => void, folder: string): MailWorld {
  const project = join(folder, 'project');
  mkdirSync(join(project, '.git'), { recursive: true });
  const server = startTmux(onEnd, { folder: project });
  const mail = join(project, '.agentmail');
  return {
    project,
    server,
    as: (pane, ...args) => runAgentmail(args, { cwd: project, env: server.env(pane) }),
    mailbox: (name) => linesOf(join(mail, 'mailboxes', `${name}.jsonl`)),
    states: () => linesOf(join(mail, 'recipients.jsonl')),
  };
}

/** Runs the built program until it exits. */
export async function runAgentmail(args: readonly string[], options: AgentmailOptions): Promise<ProgramResult> {
  const child = spawn(process.execPath, [agentmailPath, ...args], {
    cwd: options.cwd,
    env: programEnvironment(options),
    stdio: [options.stdin === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
  });
  child.stdin?.on('error', () => {});
  child.stdin?.end(options.stdin);
  return resultOf(child);
}

/** As a process without a parent, so that it is outside tmux even if the tests run inside. */
export async function runOutsideTmux(args: readonly string[], { cwd, env }: AgentmailOptions): Promise<ProgramResult> {
  const script = '{ "$@" </dev/null; echo $? >&3; } &';
  const child = spawn('sh', ['-c', script, 'sh', process.execPath, agentmailPath, ...args], {
    cwd,
    env: programEnvironment(env === undefined ? {} : { env }),
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
  });
  const [result, code] = await Promise.all([resultOf(child), text(child.stdio[3] as Readable)]);
  return { ...result, code: Number(code) };
}

async function resultOf(child: ChildProcess): Promise<ProgramResult> {
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout as Readable),
    text(child.stderr as Readable),
    once(child, 'close'),
  ]);
  return { code, stdout, stderr };
}

function linesOf(file: string): Record<string, unknown>[] {
  const lines = readFileSync(file, 'utf8').split('\n');
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line));
}
