import type { Finding } from '../domain/finding.ts';

export interface DoctorPort {
  /** Looks at everything and changes nothing. */
  examine(): Promise<readonly Finding[]>;
}
