/** From the least to the most severe. */
const LEVELS = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'] as const;

export type ProtocolLogLevel = (typeof LEVELS)[number];

export function isLogLevel(value: unknown): value is ProtocolLogLevel {
  return LEVELS.some((level) => level === value);
}

/** Whether a message of this level is at least as severe; an unknown level is not. */
export function isAtLeast(level: unknown, minimum: string): boolean {
  const rank = LEVELS.findIndex((known) => known === level);
  return rank >= 0 && rank >= LEVELS.findIndex((known) => known === minimum);
}
