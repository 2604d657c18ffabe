import { encodingMonsters } from './encodings.ts';
import { headerMonsters } from './headers.ts';
import type { Monster } from './monster.ts';
import { structureMonsters } from './structures.ts';

/** Emails that were made to break a parser: to crash it, to stop it, or to exhaust its memory. */
export function allMonsters(): Monster[] {
  return [...structureMonsters(), ...headerMonsters(), ...encodingMonsters()];
}
