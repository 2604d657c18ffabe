import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A folder of its own that is gone when the test (or suite) ends. */
export function temporaryFolder(onEnd: (clean: () => void) => void): string {
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-test-'));
  // Whoever is about to end may write for a moment still.
  onEnd(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));
  return folder;
}
