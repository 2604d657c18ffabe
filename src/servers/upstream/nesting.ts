/** Deeper values can be parsed, but writing them again overflows the stack. Nothing useful comes near. */
const MAX_DEPTH = 200;

/** Whether objects and arrays of a parsed JSON value are nested more than so many times. */
export function isTooDeep(value: unknown, levels = MAX_DEPTH): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  if (Array.isArray(value)) return value.some((item) => isTooDeep(item, levels - 1));
  for (const key in value) if (isTooDeep((value as Record<string, unknown>)[key], levels - 1)) return true;
  return false;
}
