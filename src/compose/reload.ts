import { join } from 'node:path';
import type { Program } from '../compose.ts';
import { followFile } from '../config/follow-file.ts';
import { toAppError } from '../domain/errors.ts';
import { fileOfGroup, parseGroup } from '../secrets/names.ts';

/** Uses a changed `config.yaml`, and changed secrets it refers to, while this process owns the home. Gives how to stop. */
export function followConfig(program: Program): () => void {
  let work = Promise.resolve();
  const changed = () => {
    work = work.then(() => reload(program));
  };
  const secrets = join(program.home, 'secrets', fileOfGroup(parseGroup('shared')));
  const stops = [join(program.home, 'config.yaml'), secrets].map((path) => followFile(path, changed));
  return () => {
    for (const stop of stops) stop();
  };
}

async function reload(program: Program): Promise<void> {
  const { log } = program;
  try {
    const [config, next] = await Promise.all([program.config(), program.readSettings()]);
    const { live, atStart } = await config.replace(next);
    if (live.length > 0) log.info({ keys: live }, 'the configuration was changed, and is in force');
    if (atStart.length > 0) {
      log.warn({ keys: atStart }, 'the configuration was changed in what is used only when Switchboard starts again');
    }
  } catch (thrown) {
    const { code, message } = toAppError(thrown);
    log.warn({ code }, `the changed configuration is not used; the former one stays in force. ${message}`);
  }
}
