/** From the least to the most severe. */
const LEVELS = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'];

/** For clients that did not ask for a level. */
export const LOWEST_DEFAULT = 'info';

/** Whether this level lets more messages pass. */
export function isLower(level: string, than: string): boolean {
  return LEVELS.includes(level) && LEVELS.indexOf(level) < LEVELS.indexOf(than);
}
