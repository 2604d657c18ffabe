/** The user among the agents: has no window, and reads and answers in chat. */
export const HUMAN = 'human';

/** Whether a name is, or looks like, the user's. */
export function claimsUser(name: string): boolean {
  // A name that long cannot be taken for another.
  if (name.length > 100) return false;
  return (
    name
      .normalize('NFKC')
      .replace(/[\p{C}\p{Z}\p{M}\u{3164}\u{115f}\u{1160}]/gu, '')
      .toLowerCase() === HUMAN
  );
}
