import { type Fold, foldingOf } from './casemapping.ts';
import type { IrcSession } from './client.ts';

/** What a server has said of itself. */
export interface IrcServer {
  fold: Fold;
  /** Characters that channels' names begin with, and those that may stand before them. */
  channelTypes: string;
  statusPrefixes: string;
  /** Signs before the names of those who have a rank in a channel. */
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
