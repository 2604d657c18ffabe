import { letters, SCRIPTS, type Script, spelled, words } from './email-scripts.ts';
import { wordOf } from './generated-words.ts';

export type ChatScript = Pick<Script, 'share' | 'space' | 'word' | 'drawn'>;

/** The scripts of email, and those that messengers have and old mail rarely. */
export const CHAT_SCRIPTS: readonly ChatScript[] = [
  ...SCRIPTS,
  { ...{ share: 0.02, space: ' ' }, ...words(hangulOf) },
  { ...{ share: 0.02, space: '' }, ...words(spelled(letters('あいうえおかきくけこさしすせそたちつて'))) },
  { ...{ share: 0.01, space: ' ' }, ...words(spelled(letters('अबदएफगइकलमनओपरसतउवज'))) },
  { ...{ share: 0.01, space: '' }, ...words(spelled(letters('กขคงจชซดตถทนบปพฟมยร'))) },
];

export const [LATIN] = CHAT_SCRIPTS as readonly [ChatScript, ...ChatScript[]];

function hangulOf(rank: number): string {
  const block = (number: number) => String.fromCodePoint(0xac00 + (number % 11_172));
  return [...wordOf(rank)]
    .map((letter, place) => block(letter.charCodeAt(0) * 588 + rank * 7 + place))
    .join('')
    .slice(0, 4);
}
