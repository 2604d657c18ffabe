import type { ImapFlow, MailboxObject } from 'imapflow';

/** The state of a folder, as far as it shows changes. */
interface State {
  exists: number;
  uidNext: number;
  highestModseq: bigint | undefined;
}

interface Remembered {
  uidValidity?: bigint;
  /** What the caller knows. */
  told?: State;
  /** Whether the server has reported something since. */
  hasNews: boolean;
}

/** What this session knows of folders, so that no change between two calls is lost, and no UID is used for another email. */
export interface FolderMemory {
  /** The caller is about to be told the state: what the server reports from now on is news. */
  asking(path: string): void;
  told(path: string, uidValidity: bigint, state: State): void;
  /** The folder was opened. */
  opened(path: string, folder: MailboxObject): void;
  /** Whether the UIDs of the open folder mean the emails that the caller knows. */
  isValid(path: string, folder: MailboxObject): boolean;
  hasNews(path: string): boolean;
}

const EVENTS = ['exists', 'expunge', 'flags'] as const;

export function createFolderMemory(client: ImapFlow): FolderMemory {
  const folders = new Map<string, Remembered>();
  const of = (path: string): Remembered => {
    const known = folders.get(path) ?? { hasNews: false };
    folders.set(path, known);
    return known;
  };
  for (const event of EVENTS) {
    client.on(event, ({ path }: { path: string }) => {
      of(path).hasNews = true;
    });
  }
  return {
    asking(path) {
      of(path).hasNews = false;
    },
    told(path, uidValidity, state) {
      Object.assign(of(path), { uidValidity, told: state });
    },
    opened(path, { uidValidity, exists, uidNext, highestModseq }) {
      const known = of(path);
      known.uidValidity ??= uidValidity;
      const state = { exists, uidNext, highestModseq };
      if (known.told && differs(known.told, state)) known.hasNews = true;
      known.told ??= state;
    },
    isValid(path, { uidValidity }) {
      const known = of(path).uidValidity;
      return known === undefined || known === uidValidity;
    },
    hasNews: (path) => of(path).hasNews,
  };
}

function differs(a: State, b: State): boolean {
  if (a.exists !== b.exists || a.uidNext !== b.uidNext) return true;
  // Not every answer of every server contains it.
  return Boolean(a.highestModseq && b.highestModseq) && a.highestModseq !== b.highestModseq;
}
