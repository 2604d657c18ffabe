/** The result of one probe of doctor, and how to fix the problem if there is one. */
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
