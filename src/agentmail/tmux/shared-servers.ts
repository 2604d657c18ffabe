import type { ProcessFacts } from './process-facts.ts';
import { kindOf, programName } from './programs.ts';

/** Words on the command line of an assistant that make it a server for several windows. */
const SERVER_MODES: Readonly<Record<string, readonly string[]>> = {
  claude: ['daemon', 'bg-pty-host', '--bg-pty-host', 'bg-spare', 'remote-control'],
  cline: ['--cline-hub-daemon', 'hub'],
  codex: ['app-server', 'remote-control', 'exec-server'],
  copilot: ['--server', '--headless'],
  crush: ['server'],
  droid: ['daemon'],
  goose: ['serve', 'server', 'web'],
  kilo: ['serve', 'web', 'daemon'],
  opencode: ['serve', 'web'],
  qwen: ['serve'],
};
/** How far into the command line such a word is looked for: behind options, but not in a prompt. */
const LATEST_WORD = 4;

/** Those of the assistants above that use a server without being asked to. */
const SHARED_BY_DEFAULT: ReadonlySet<string> = new Set(['codex', 'cline']);

/** Assistants of which each window has a socket of its own. */
const LISTEN_PER_WINDOW: ReadonlySet<string> = new Set(['claude', 'qwen']);

/** Programs that only start others. */
const WRAPPERS =
  /^(?:(?:ba|z|da|a|k|mk|fi|tc|c|rba)?sh|env|timeout|nohup|setsid|nice|stdbuf|sudo|doas|script|xargs|busybox|npm|npx|bun|bunx|pnpm|yarn)$/;

const SANDBOXES: ReadonlySet<string> = new Set(['bwrap', 'firejail', 'nsjail', 'sandbox-exec']);

const INSTEAD: Readonly<Record<string, string>> = {
  codex: 'Start it with `codex --no-daemon`, or set `daemon_auto_start = false` in [features] of ~/.codex/config.toml.',
  claude: 'Run `claude` in the window itself, not in the background.',
  cline: 'Run `cline` in the window itself, not in its hub.',
  opencode: 'Run `opencode` in each window, not `opencode attach`.',
  qwen: 'Run `qwen` in each window, without `qwen serve`.',
};
const INSTEAD_OF_ANY = 'Run the assistant itself in its window.';

/** The assistant that this process is; undefined for other programs. */
export function assistantOf({ command, name }: Pick<ProcessFacts, 'command' | 'name'>): string | undefined {
  if (kindOf(command) === 'agent') return programName(command);
  return kindOf([name]) === 'agent' ? programName([name]) : undefined;
}

export function isWrapper({ command }: Pick<ProcessFacts, 'command'>): boolean {
  return WRAPPERS.test(programName(command));
}

/** Whether nothing outside it can be seen from inside. */
export function isSandbox({ pid, name }: Pick<ProcessFacts, 'pid' | 'name'>): boolean {
  return pid === 1 && SANDBOXES.has(name);
}

export function isSharedByDefault(assistant: string): boolean {
  return SHARED_BY_DEFAULT.has(assistant);
}

/**
 * The name of a process that may work for other windows too: an assistant in a server mode, or a program that has left
 * the terminal of its pane and accepts connections.
 */
export function sharedServer(found: ProcessFacts, panePid: number): string | undefined {
  const assistant = assistantOf(found);
  if (assistant !== undefined && isServerMode(assistant, found.command)) return assistant;
  const hasLeft = found.session === undefined ? !found.hasTerminal : found.session !== panePid;
  if (!hasLeft || isWrapper(found) || LISTEN_PER_WINDOW.has(assistant ?? '')) return undefined;
  return found.listens() ? (assistant ?? programName(found.command)) : undefined;
}

function isServerMode(assistant: string, command: readonly string[]): boolean {
  const modes = SERVER_MODES[assistant] ?? [];
  return command.slice(1, LATEST_WORD + 1).some((word) => modes.includes(word));
}

/** What to do instead of using a shared server. */
export function insteadOf(program: string): string {
  return INSTEAD[program] ?? INSTEAD_OF_ANY;
}
