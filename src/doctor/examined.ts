import { AppError } from '../domain/errors.ts';
import { broken, type Finding } from '../domain/finding.ts';

/** A check that fails itself is reported as broken, with the hint of its error. */
export async function examined(
  check: string,
  look: () => Promise<readonly Finding[]>,
  mend?: string,
): Promise<readonly Finding[]> {
  try {
    return await look();
  } catch (error) {
    if (error instanceof AppError) return [broken(check, error.message, error.hint ?? mend)];
    return [broken(check, 'It could not be looked at.', mend)];
  }
}
