import type { DraftInput } from '../draft/draft.ts';
import type { DraftPlace } from '../draft/draft-places.ts';
import { hasReference } from '../draft/reference.ts';

export const TAKES_SECRETS = 'it would get secrets of this machine that it does not ask for';

/**
 * Whether a value of an entry, or a default of one, would be replaced by a secret or a variable of this machine: whoever wrote
 * the entry would get it. Only the user refers to them.
 */
export function refersToSecrets(places: readonly DraftPlace[], inputs: readonly DraftInput[]): boolean {
  const defaults = new Map(inputs.map(({ key, default: value }) => [key, value]));
  return places.some(({ text }) => {
    const parts = text.map((piece) => (typeof piece === 'string' ? piece : (defaults.get(piece.input) ?? ' ')));
    return hasReference(parts.join(''));
  });
}
