import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A separate folder that is removed when the test (or suite) ends. */
export function temporaryFolder(onEnd: (clean: () => void) => void): string {
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-test-'));
  // A process that is exiting may still write.
  onEnd(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));
  return folder;
}
