import type { EmailCorpus } from './email-corpus.ts';
import { LATIN_VOCABULARY } from './email-scripts.ts';
import { wordOf } from './generated-words.ts';

/** One search, as arguments of `search_emails` and as criteria of IMAP. */
export interface EmailQuery {
  ours: Record<string, unknown>;
  imap: string;
}

export interface EmailQueryKind {
  id: string;
  title: string;
  /** The server must read every email. */
  readsEverything: boolean;
  make(random: () => number): EmailQuery;
}

export function emailQueryKinds(corpus: EmailCorpus): EmailQueryKind[] {
  const word = (random: () => number, from: number, to: number) => wordOf(from + Math.floor(random() * (to - from)));
  const words = (...all: string[]): EmailQuery => ({
    ours: { query: all.join(' ') },
    imap: all.map((each) => `TEXT ${each}`).join(' '),
  });
  return [
    {
      ...{ id: 'common', title: 'a common word', readsEverything: true },
      make: (random) => words(word(random, 20, 300)),
    },
    {
      ...{ id: 'medium', title: 'a less common word', readsEverything: true },
      make: (random) => words(word(random, 1_000, 8_000)),
    },
    {
      ...{ id: 'rare', title: 'a rare word', readsEverything: true },
      make: (random) => words(word(random, LATIN_VOCABULARY / 4, LATIN_VOCABULARY)),
    },
    {
      ...{ id: 'two', title: 'two words', readsEverything: true },
      make: (random) => words(word(random, 200, 1_000), word(random, 500, 3_000)),
    },
    {
      ...{ id: 'sender', title: 'a common word from a sender, unread', readsEverything: false },
      make: (random) => {
        const [{ address }, text] = [corpus.person(Math.floor(random() * 30)), word(random, 20, 300)];
        return {
          ours: { query: `from:${address} ${text}`, unread_only: true },
          imap: `UNSEEN FROM ${address} TEXT ${text}`,
        };
      },
    },
    {
      ...{ id: 'folder', title: 'a word in the inbox since a date, with a file', readsEverything: false },
      make: (random) => {
        const text = word(random, 300, 3_000);
        return {
          ours: { query: `${text} after:2026-01-01 has:attachment`, folder: 'INBOX' },
          imap: `SINCE 1-Jan-2026 HEADER Content-Type multipart/mixed TEXT ${text}`,
        };
      },
    },
  ];
}
