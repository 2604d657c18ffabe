import { writeToStderr } from '../lib/stderr.ts';

/** The settings on a command line. */
export interface SetKeys {
  setKeys: readonly string[];
  /** Fails where they are wrong. */
  readSettings(): Promise<unknown>;
}

/** The owner of the home has its own settings. Wrong ones are refused all the same. */
export async function warnOfUnusedKeys({ setKeys, readSettings }: SetKeys): Promise<void> {
  if (setKeys.length === 0) return;
  await readSettings();
  const keys = setKeys.join(', ');
  writeToStderr(`switchboard: --set ${keys} is not used: the process that owns this home has its own settings.\n`);
}
