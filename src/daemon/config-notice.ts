import { toAppError } from '../domain/errors.ts';
import { onOneLine } from '../domain/running-state.ts';
import { configWarning, ownHello } from '../lib/daemon-hello.ts';
import { writeToStderr } from '../lib/stderr.ts';
import { askStatus } from '../shim/attach.ts';

interface Noticed {
  home: string;
  /** Fails where the configuration is not valid. */
  readSettings(): Promise<unknown>;
}

/** For commands that no daemon executes: one line where the configuration is not valid, or not the one in force. */
export async function warnOfConfiguration(program: Noticed): Promise<void> {
  const warning = await daemonWarning(program.home);
  if (warning !== undefined) writeToStderr(warning);
  else await warnWhereInvalid(program);
}

/** The line of the running daemon; empty where it has nothing to say, undefined where none runs. */
async function daemonWarning(home: string): Promise<string | undefined> {
  const reply = await askStatus(home, ownHello('status')).catch(() => undefined);
  return reply && (configWarning(reply) ?? '');
}

export async function warnWhereInvalid({ readSettings }: Noticed): Promise<void> {
  try {
    await readSettings();
  } catch (thrown) {
    const problem = onOneLine(toAppError(thrown).message);
    writeToStderr(`switchboard: no daemon can start with the present configuration. ${problem}\n`);
  }
}
