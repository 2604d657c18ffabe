/** What was looked at, how it is and, where it is not well, how to mend it. */
export interface Finding {
  check: string;
  state: 'ok' | 'warning' | 'broken';
  says: string;
  mend?: string;
}

export interface DoctorPort {
  /** Looks at everything and changes nothing. */
  examine(): Promise<readonly Finding[]>;
}
