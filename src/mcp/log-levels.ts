const LEVELS = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'] as const;

export type ProtocolLogLevel = (typeof LEVELS)[number];

export function isLogLevel(value: unknown): value is ProtocolLogLevel {
  return LEVELS.some((level) => level === value);
}
