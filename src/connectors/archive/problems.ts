import { AppError } from '../../domain/errors.ts';

/** Why a file or folder could not be opened. */
export function fileProblem(path: string, cause: unknown): AppError {
  const { code } = cause as NodeJS.ErrnoException;
  if (code === 'ENOENT' || code === 'ENOTDIR') {
    return new AppError('NOT_FOUND', `There is no file or folder at ${path}.`, { field: 'path', cause });
  }
  if (code === 'EACCES' || code === 'EPERM') {
    return new AppError('FORBIDDEN', `${path} may not be read.`, {
      field: 'path',
      hint: 'Make it readable for the user who runs Switchboard.',
      cause,
    });
  }
  return readingFailed(path, cause);
}

/** Reading failed in the middle, for example because of a damaged zip. Entries imported before are not removed. */
export function readingFailed(path: string, cause: unknown): AppError {
  return new AppError('INVALID_PARAMETER', `${path} could not be read to its end.`, {
    field: 'path',
    hint: 'Make the export again or copy it again; what was read already is kept, and a repetition adds the rest.',
    cause,
  });
}
