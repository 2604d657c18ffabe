import type { ConfiguredPolicy } from '../domain/policy.ts';

/** Its section of the configuration. */
export interface OutboxSettings {
  policy: ConfiguredPolicy & { keep_sent_days: number };
}
