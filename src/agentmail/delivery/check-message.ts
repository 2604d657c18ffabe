import { AppError } from '../../domain/errors.ts';

/** In UTF-8. Longer letters would fill the contexts of their readers. */
const MAX_BYTES = 65_536;

export function checkMessage(message: string): void {
  const bytes = Buffer.byteLength(message);
  if (bytes === 0) throw new AppError('VALIDATION_ERROR', 'no message provided', { field: 'message' });
  if (bytes <= MAX_BYTES) return;
  const words = `message exceeds maximum size of 64KB: it has ${bytes} bytes, and ${MAX_BYTES} are allowed`;
  throw new AppError('TOO_LARGE', words, { field: 'message', hint: 'Put it into a file and send its name.' });
}
