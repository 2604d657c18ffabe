import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Programs in a folder that only record their arguments; `failing` selects the calls that fail. */
export function recordingPrograms(folder: string, names: readonly string[], failing = 'nothing at all') {
  const record = join(folder, 'calls.txt');
  for (const name of names) {
    const path = join(folder, name);
    writeFileSync(path, `#!/bin/sh\necho "${name} $*" >> '${record}'\ncase "$*" in *"${failing}"*) exit 1;; esac\n`);
    chmodSync(path, 0o755);
  }
  return {
    path: folder,
    /** The calls since the last query. */
    calls(): string[] {
      const lines = existsSync(record) ? readFileSync(record, 'utf8').trimEnd().split('\n') : [];
      writeFileSync(record, '');
      return lines.filter((line) => line !== '');
    },
  };
}
