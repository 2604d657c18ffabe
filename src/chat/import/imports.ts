import type { ImportHow, ImportReport, ImportRequest } from '../../domain/archive.ts';

/**
 * Reads exports of other programs into the store. Recorded messages are retained even if it fails; a repeated import adds
 * what is missing.
 */
export interface Imports {
  run(request: ImportRequest, how: ImportHow): Promise<ImportReport>;
  /** Whether an import into this source is running. */
  isRunning(source: string): Promise<boolean>;
}
