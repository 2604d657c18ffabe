import { toAppError } from '../domain/errors.ts';
import type { Log } from '../lib/log.ts';
import { followFile } from './follow-file.ts';
import type { ConfigInForce } from './in-force.ts';
import type { Config } from './schema.ts';

interface Parts {
  /** The configuration file, and the secrets that it refers to. */
  files: readonly string[];
  config: ConfigInForce;
  /** Reads the configuration as the files have it now. */
  read(): Promise<Config>;
  /** Why the configuration of the files is not in force; undefined where it is. */
  note(problem: string | undefined): void;
  log: Log;
}

/** Uses a changed configuration while this process owns the home. Returns how to stop. */
export function followConfig(parts: Parts): () => void {
  let work = Promise.resolve();
  const changed = () => {
    work = work.then(() => reload(parts));
  };
  const stops = parts.files.map((path) => followFile(path, changed));
  return () => {
    for (const stop of stops) stop();
  };
}

async function reload({ config, read, note, log }: Parts): Promise<void> {
  try {
    const { live, atStart } = await config.replace(await read());
    note(undefined);
    if (live.length > 0) log.info({ keys: live }, 'the configuration was changed, and is in force');
    if (atStart.length > 0) {
      log.warn({ keys: atStart }, 'the configuration was changed in what is used only when Switchboard starts again');
    }
  } catch (thrown) {
    const { code, message } = toAppError(thrown);
    note(message);
    log.warn({ code }, `the changed configuration is not used; the previous one is kept. ${message}`);
  }
}
