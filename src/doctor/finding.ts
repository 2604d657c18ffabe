import { AppError } from '../domain/errors.ts';

export interface Finding {
  check: string;
  state: 'ok' | 'warning' | 'broken';
  says: string;
  mend?: string;
}

export function ok(check: string, says: string): Finding {
  return { check, state: 'ok', says };
}

export function warning(check: string, says: string, mend: string): Finding {
  return { check, state: 'warning', says, mend };
}

export function broken(check: string, says: string, mend?: string): Finding {
  return { check, state: 'broken', says, ...(mend === undefined ? {} : { mend }) };
}

/** What cannot even be looked at is broken; whoever failed says how to mend it. */
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
