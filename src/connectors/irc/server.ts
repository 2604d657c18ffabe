import { type Fold, foldingOf } from './casemapping.ts';
import type { IrcSession } from './client.ts';

/** Features that the server has announced. */
export interface IrcServer {
  fold: Fold;
  /** Prefixes of channel names, and status prefixes before them. */
  channelTypes: string;
  statusPrefixes: string;
  /** Prefixes of nicknames with a rank in the channel. */
  ranks: string;
  hasHistory: boolean;
}

export function serverOf({ supports, has }: Pick<IrcSession, 'supports' | 'has'>): IrcServer {
  return {
    fold: foldingOf(supports('CASEMAPPING'), supports('UTF8MAPPING')),
    channelTypes: lettersOf(supports('CHANTYPES'), '#&'),
    statusPrefixes: lettersOf(supports('STATUSMSG'), '@+'),
    ranks: ranksOf(supports('PREFIX')),
    hasHistory: has('draft/chathistory'),
  };
}

function lettersOf(option: unknown, usual: string): string {
  if (Array.isArray(option)) return option.join('');
  return typeof option === 'string' ? option : usual;
}

function ranksOf(option: unknown): string {
  if (!Array.isArray(option)) return '~&@%+';
  return option.map((rank: { symbol?: unknown }) => String(rank.symbol ?? '')).join('');
}
