import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { programEnvironment } from '../program.ts';
import { agentmailPath, type MailWorld } from './program.ts';

export interface RunningMailman {
  process: ChildProcess;
  /** Everything it has printed so far. */
  said(): string;
  /** Resolves when it has printed this. */
  until(words: RegExp): Promise<string>;
  /** Its exit code, once it has exited by itself. */
  ended(): Promise<number | null>;
  stop(): Promise<number | null>;
}

/** Starts `agentmail mailman` in a pane; it is stopped when the test ends. */
export async function startMailman(
  onEnd: (end: () => unknown) => void,
  { project, server }: MailWorld,
  options: { env?: Record<string, string>; args?: readonly string[] } = {},
): Promise<RunningMailman> {
  const mailman = startListening(['mailman', ...(options.args ?? [])], project, {
    ...server.env(server.first),
    ...options.env,
  });
  onEnd(() => mailman.stop());
  await mailman.until(/Mailman daemon started \(PID: \d+\)/);
  return mailman;
}

/** Starts the built program and reads its output. */
export function startListening(args: readonly string[], cwd: string, env: Record<string, string>): RunningMailman {
  const child = spawn(process.execPath, [agentmailPath, ...args], {
    cwd,
    env: programEnvironment({ env }),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = once(child, 'close');
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8');
    stream.on('data', (piece: string) => {
      text += piece;
    });
  }
  return {
    process: child,
    said: () => text,
    async until(words) {
      while (!words.test(text)) {
        const over = ended.then(() => 'over' as const);
        const news = await Promise.race([once(child.stdout, 'data'), once(child.stderr, 'data'), over]);
        if (news === 'over' && !words.test(text)) throw new Error(`it ended and said: ${text}`);
      }
      return text;
    },
    async ended() {
      const [code] = await ended;
      return code;
    },
    async stop() {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM');
      return this.ended();
    },
  };
}
