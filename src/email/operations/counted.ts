/** `1 email`, `2 emails`. */
export function countOf(emails: number): string {
  return `${emails} email${emails === 1 ? '' : 's'}`;
}

export function notFoundNote(missing: readonly string[] | undefined): string {
  return missing === undefined || missing.length === 0 ? '' : ` Not found: ${missing.join(', ')}.`;
}

export function notFoundOf(missing: readonly string[]): { not_found?: string[] } {
  return missing.length === 0 ? {} : { not_found: [...missing] };
}
