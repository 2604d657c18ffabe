import { assistantMark } from './assistant-marks.ts';
import { sha256Hex } from './sha256.ts';
import { version } from './version.ts';
import { workingDirectory } from './working-directory.ts';

/** The first line a process sends to the daemon: what it is, and what it wants. */
export interface Hello {
  v: 1;
  /**
   * `mcp`: protocol bytes follow. `cli`: calls of operations follow. `takeover`: the sender wants the home. `stop`: the
   * daemon is to end. `status`: only the reply is needed.
   */
  door: 'mcp' | 'cli' | 'takeover' | 'stop' | 'status';
  version: string;
  only?: readonly string[];
  read_only?: boolean;
  cwd: string;
  pid: number;
  ppid: number;
  tmux?: string;
  tmux_pane?: string;
  /** The assistant that its environment shows. */
  assistant?: string;
  /** The session that an earlier daemon held for this client. */
  session?: string;
  /** Number of the last event that the client was notified of. */
  heard?: number;
  /** SHA-256 of each variable that configures us, by name. */
  env: Readonly<Record<string, string>>;
}

/** How the owner of the home was started: automatically, by the user, or inside an assistant's stdio server. */
export type OwnerKind = 'auto' | 'serve' | 'embedded';

/** The daemon's answer, one line too. */
export interface HelloReply {
  v: 1;
  version: string;
  pid: number;
  /** `auto` exits when idle or on request; the others do not. */
  kind: OwnerKind;
  uptime_ms: number;
  /** Attached processes, without the one that sent this request. */
  clients: number;
  /** Its HTTP URL. */
  url?: string;
  /** Why a changed configuration is not in force, on one line. */
  config_problem?: string;
  /** Variables in which the sender and the daemon differ. */
  differs?: readonly string[];
  error?: { code: string; message: string };
}

/** The warning of a process that finds a daemon with other settings; values are not shown. */
export function environmentWarning({ differs = [] }: HelloReply): string | undefined {
  if (differs.length === 0) return undefined;
  return `switchboard: the running daemon was started with other values of ${differs.join(', ')}.\n`;
}

/** The same where the daemon could not use a changed configuration. */
export function configWarning({ config_problem: problem }: HelloReply): string | undefined {
  if (problem === undefined) return undefined;
  return `switchboard: the former configuration is in force, because the changed one cannot be used. ${problem}\n`;
}

/** Lines of the daemon that begin with this byte are for the shim, not for the client. */
export const CONTROL = 0x00;

/** Control lines: a keyword and its argument. */
export type ControlWord =
  /** The session that is served here; named again when attaching to another daemon. */
  | 'session'
  /** The client was notified of everything up to the event with this number. */
  | 'heard'
  /** Text for the client's standard error. */
  | 'stderr'
  /** The end, with this exit code. */
  | 'exit'
  /** The daemon exits cleanly, and another may start within so many milliseconds: do not start one before. */
  | 'wait'
  /** The daemon was stopped deliberately: do not start another one before the client sends something. */
  | 'rest';

export function controlLine(word: ControlWord, argument: string | number = ''): string {
  return `\0${word} ${argument}\n`;
}

/** How this process introduces itself to the owner of the home. */
export function ownHello(door: Hello['door']): Hello {
  return { v: 1, door, version: version(), ...processContext(process.env), env: fingerprints(process.env) };
}

/** The environment of this process that identifies its agent. */
export function processContext(env: NodeJS.ProcessEnv) {
  const { TMUX, TMUX_PANE } = env;
  const assistant = assistantMark((name) => env[name]);
  return {
    cwd: workingDirectory(),
    pid: process.pid,
    ppid: process.ppid,
    ...(TMUX === undefined ? {} : { tmux: TMUX }),
    ...(TMUX_PANE === undefined ? {} : { tmux_pane: TMUX_PANE }),
    ...(assistant === undefined ? {} : { assistant }),
  };
}

const CONFIGURING = /^(SWITCHBOARD|ANTHROPIC)_/;
/** These set the home or identify the caller; they do not configure the daemon. */
const NOT_COMPARED: ReadonlySet<string> = new Set(['SWITCHBOARD_HOME', 'SWITCHBOARD_API_TOKEN']);

/**
 * Fingerprints of the variables that configure a daemon, so that a difference can be detected without sending values.
 */
export function fingerprints(env: NodeJS.ProcessEnv): Record<string, string> {
  const names = Object.keys(env).filter((name) => CONFIGURING.test(name) && !NOT_COMPARED.has(name));
  return Object.fromEntries(names.sort().map((name) => [name, sha256Hex(env[name] ?? '').slice(0, 16)]));
}
