import type { ImapFlow, MailboxObject } from 'imapflow';

/** The state of a folder, as far as it shows changes. */
interface State {
  exists: number;
  uidNext: number;
  highestModseq: bigint | undefined;
}

interface Remembered {
  uidValidity?: bigint;
  /** As it was when the server last told it. */
  state?: State;
  /** Whether something has changed that no watch has noticed. */
  hasNews: boolean;
  /** A watch has noticed a change: the state that is asked for next contains it. */
  isExpected: boolean;
}

/** What this session knows of folders, so that no change between two calls is lost, and no UID is used for another email. */
export interface FolderMemory {
  /** The state is asked for next: it contains what the server has reported since a watch has noticed a change. */
  asked(path: string): void;
  /** The caller has asked for the state. */
  told(path: string, uidValidity: bigint, state: State): void;
  /** The folder was opened. */
  opened(path: string, folder: MailboxObject): void;
  /** Whether the UIDs of the open folder mean the emails that the caller knows. */
  isValid(path: string, folder: MailboxObject): boolean;
  hasNews(path: string): boolean;
  /** A watch has returned because of the news. */
  noticed(path: string): void;
}

const EVENTS = ['exists', 'expunge', 'flags'] as const;

export function createFolderMemory(client: ImapFlow): FolderMemory {
  const folders = new Map<string, Remembered>();
  const of = (path: string): Remembered => {
    const known = folders.get(path) ?? { hasNews: false, isExpected: false };
    folders.set(path, known);
    return known;
  };
  for (const event of EVENTS) {
    client.on(event, ({ path }: { path: string }) => {
      of(path).hasNews = true;
    });
  }
  return {
    asked(path) {
      const known = of(path);
      if (known.isExpected) known.hasNews = false;
    },
    told(path, uidValidity, state) {
      const known = of(path);
      // Others than the one who watches ask for the state, too.
      if (!known.isExpected && known.state && differs(known.state, state)) known.hasNews = true;
      Object.assign(known, { uidValidity, state, isExpected: false });
    },
    opened(path, { uidValidity, exists, uidNext, highestModseq }) {
      const known = of(path);
      known.uidValidity ??= uidValidity;
      const state = { exists, uidNext, highestModseq };
      if (known.state && differs(known.state, state)) known.hasNews = true;
      known.state = state;
    },
    isValid(path, { uidValidity }) {
      const known = of(path).uidValidity;
      return known === undefined || known === uidValidity;
    },
    hasNews: (path) => of(path).hasNews,
    noticed(path) {
      Object.assign(of(path), { hasNews: false, isExpected: true });
    },
  };
}

function differs(a: State, b: State): boolean {
  if (a.exists !== b.exists || a.uidNext !== b.uidNext) return true;
  // Not every answer of every server contains it.
  return Boolean(a.highestModseq && b.highestModseq) && a.highestModseq !== b.highestModseq;
}
