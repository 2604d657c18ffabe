import type { Fold } from './casemapping.ts';
import type { ParsedLine } from './line.ts';

const MOST = 20_000;

/** How names are written: the ids of chats and senders are folded, because the server ignores case. */
export interface Names {
  /** As the server writes it, else as the user does; undefined if neither is known. */
  shown(name: string): string | undefined;
  /** A live line of the server. */
  note(line: ParsedLine): void;
  /** A list of members. */
  listed(names: Iterable<string>): void;
  /** As the user wrote it; the server may write it differently. */
  typed(name: string): void;
}

export function createNames(fold: Fold, most = MOST): Names {
  const ofServer = new Map<string, string>();
  const ofUser = new Map<string, string>();

  function keep(names: Map<string, string>, name: string): void {
    const key = fold(name);
    names.delete(key);
    names.set(key, name);
    const [oldest] = names.size > most ? names.keys() : [];
    if (oldest !== undefined) names.delete(oldest);
  }

  return {
    shown: (name) => ofServer.get(fold(name)) ?? ofUser.get(fold(name)),
    note({ command, nick, fromServer, params }) {
      if (!fromServer && nick !== '') keep(ofServer, nick);
      const [first = '', second = ''] = params;
      if (command === 'JOIN' || command === 'NICK') keep(ofServer, first);
      if (command === '366') keep(ofServer, second);
    },
    listed(names) {
      for (const name of names) keep(ofServer, name);
    },
    typed: (name) => keep(ofUser, name),
  };
}
