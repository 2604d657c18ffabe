import type { ExpectedFolder, FolderProgress, MailBatch, MailStore, MailToStore } from '../ports.ts';

/** Stores emails of a folder in large batches while the next ones are fetched. */
export interface MailWriter {
  /** Resolves when more may be added. Rejects if something could not be stored: nothing is stored after that. */
  add(mails: readonly MailToStore[]): Promise<void>;
  /** How much of the folder is stored, once all emails that were added before are. */
  complete(progress: Pick<FolderProgress, 'low' | 'high'>): void;
  /** Resolves when everything is stored. */
  end(): Promise<void>;
}

/** Emails in one transaction: many take less time each than few. So fewer are stored only where no more follow. */
const MIN_BATCH = 300;
const MAX_BATCH = 500;
const MAX_CHARACTERS = 2_500_000;
/** What may wait to be stored: long emails would fill the memory by themselves. */
const MAX_WAITING = 600;
const MAX_WAITING_CHARACTERS = 4_000_000;

interface Work {
  mails: MailToStore[];
  characters: number;
  progress?: Pick<FolderProgress, 'low' | 'high'>;
}

/** `stored` is told how many emails were stored, and how many of them are new. */
export function createMailWriter(
  place: Required<Pick<MailBatch, 'account' | 'folder' | 'expected'>>,
  mail: Pick<MailStore, 'record' | 'saveProgress'>,
  stored: (count: number, added: number) => void,
): MailWriter {
  const { account, folder } = place;
  let expected: ExpectedFolder = place.expected;
  const queue: Work[] = [];
  const waiting = { emails: 0, characters: 0 };
  let writing: Promise<void> = Promise.resolve();
  let isWriting = false;
  let isEnding = false;
  let failure: unknown;
  let room = Promise.withResolvers<void>();

  async function writeAll(): Promise<void> {
    try {
      for (let work = nextWork(); work; work = nextWork()) {
        const { mails, characters, progress } = work;
        const added = await writeOne(mails, progress);
        if (progress) expected = { ...expected, ...progress };
        waiting.emails -= mails.length;
        waiting.characters -= characters;
        stored(mails.length, added);
        room.resolve();
      }
    } catch (error) {
      failure = error;
      room.resolve();
    } finally {
      isWriting = false;
    }
  }

  function nextWork(): Work | undefined {
    const [first] = queue;
    if (failure !== undefined || !first) return undefined;
    const isLarge = first.mails.length >= MIN_BATCH || first.characters >= MAX_CHARACTERS;
    return isEnding || queue.length > 1 || isLarge ? queue.shift() : undefined;
  }

  async function writeOne(mails: readonly MailToStore[], progress: Work['progress']): Promise<number> {
    if (mails.length > 0) {
      // Numbered on from the known ones, so that emails of one second keep their order.
      const batch = { account, folder, mails, origin: 'older', expected } as const;
      return (await mail.record(progress ? { ...batch, progress } : batch)).added;
    }
    if (progress) await mail.saveProgress(folder, progress, expected);
    return 0;
  }

  function isFull(): boolean {
    return waiting.emails > MAX_WAITING || waiting.characters > MAX_WAITING_CHARACTERS;
  }

  function write(): void {
    if (isWriting) return;
    isWriting = true;
    writing = writeAll();
  }

  /** The last batch, as long as it is not full. */
  function openBatch(): Work {
    const last = queue.at(-1);
    const isOpen = last && !last.progress && last.mails.length < MAX_BATCH;
    if (isOpen && last.characters < MAX_CHARACTERS) return last;
    const work = { mails: [], characters: 0 };
    queue.push(work);
    return work;
  }

  return {
    async add(mails) {
      for (const each of mails) {
        const work = openBatch();
        work.mails.push(each);
        work.characters += each.email.text.length;
        waiting.characters += each.email.text.length;
      }
      waiting.emails += mails.length;
      write();
      while (isFull() && failure === undefined) {
        write();
        room = Promise.withResolvers();
        await room.promise;
      }
      if (failure !== undefined) throw failure;
    },
    complete(progress) {
      openBatch().progress = progress;
    },
    async end() {
      isEnding = true;
      await writing;
      write();
      await writing;
      if (failure !== undefined) throw failure;
    },
  };
}
