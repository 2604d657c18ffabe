/** Flags as they are stored: sorted, separated by spaces. */
export function formatFlags(flags: readonly string[]): string {
  return [...new Set(flags)]
    .filter((flag) => /^\S+$/.test(flag))
    .sort()
    .join(' ');
}

export function parseFlags(text: string): string[] {
  return text === '' ? [] : text.split(' ');
}

/** The flags that are searched for have columns of their own. */
export function flagColumns(flags: readonly string[]): { isSeen: 0 | 1; isFlagged: 0 | 1 } {
  return { isSeen: flags.includes('\\Seen') ? 1 : 0, isFlagged: flags.includes('\\Flagged') ? 1 : 0 };
}
