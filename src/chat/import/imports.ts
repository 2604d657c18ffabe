import type { ImportHow, ImportReport, ImportRequest } from '../../domain/archive.ts';

/** Reads exports of other programs into the store. What was recorded stays, however it ends; the same again adds what is missing. */
export interface Imports {
  run(request: ImportRequest, how: ImportHow): Promise<ImportReport>;
  /** Whether something is being read into this source. */
  isRunning(source: string): Promise<boolean>;
}
