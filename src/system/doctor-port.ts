import type { Finding } from '../domain/finding.ts';

export interface DoctorPort {
  /** Runs all probes and changes nothing. */
  examine(): Promise<readonly Finding[]>;
}
