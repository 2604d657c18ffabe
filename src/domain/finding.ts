/** What doctor says of one thing it looked at, and how to fix it where something is wrong. */
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
