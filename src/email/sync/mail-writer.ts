import type { FolderProgress, MailStore, MailToStore } from '../ports.ts';

/** Stores the emails of a bulk job in large batches while the next ones are fetched. */
export interface MailWriter {
  /** Resolves when more may be added. Rejects if something could not be stored: nothing is stored after that. */
  add(folder: number, mails: readonly MailToStore[]): Promise<void>;
  /** How much of the folder is stored, once all emails that were added before are. */
  complete(folder: number, progress: FolderProgress): void;
  /** Emails that need not be stored. */
  skipped(count: number): void;
  /** Resolves when everything is stored. */
  end(): Promise<void>;
}

/** Emails in one transaction: many take less time each than few. */
const MAX_BATCH = 500;
const MAX_CHARACTERS = 2_000_000;
/** Emails that wait, besides those that are being stored. */
const MAX_WAITING = 1_000;

interface Work {
  folder: number;
  mails: MailToStore[];
  characters: number;
  progress?: FolderProgress;
}

export function createMailWriter(
  account: string,
  mail: Pick<MailStore, 'record' | 'saveProgress'>,
  stored: (count: number) => void,
): MailWriter {
  const queue: Work[] = [];
  let waiting = 0;
  let done = 0;
  let writing: Promise<void> | undefined;
  let failure: unknown;
  let room = Promise.withResolvers<void>();

  function count(mails: number): void {
    done += mails;
    stored(done);
  }

  async function writeAll(): Promise<void> {
    for (let work = queue.shift(); work; work = queue.shift()) {
      const { folder, mails, progress } = work;
      if (mails.length > 0)
        await mail.record({ account, folder, mails, origin: 'older', ...(progress ? { progress } : {}) });
      else if (progress) await mail.saveProgress(folder, progress);
      waiting -= mails.length;
      count(mails.length);
      room.resolve();
    }
  }

  function write(): void {
    writing ??= writeAll()
      .catch((error: unknown) => {
        failure = error;
        room.resolve();
      })
      .finally(() => {
        writing = undefined;
      });
  }

  /** The last batch, as long as it is not full and belongs to the same folder. */
  function batchFor(folder: number): Work {
    const last = queue.at(-1);
    const isOpen = last && last.folder === folder && !last.progress && last.mails.length < MAX_BATCH;
    if (isOpen && last.characters < MAX_CHARACTERS) return last;
    const work = { folder, mails: [], characters: 0 };
    queue.push(work);
    return work;
  }

  return {
    async add(folder, mails) {
      for (const each of mails) {
        const work = batchFor(folder);
        work.mails.push(each);
        work.characters += each.email.text.length;
      }
      waiting += mails.length;
      // A batch that is not full waits for more, unless nothing else is to do.
      if (queue.length > 1 || (queue[0]?.mails.length ?? 0) >= MAX_BATCH) write();
      while (waiting > MAX_WAITING && failure === undefined) {
        write();
        room = Promise.withResolvers();
        await room.promise;
      }
      if (failure !== undefined) throw failure;
    },
    complete(folder, progress) {
      batchFor(folder).progress = progress;
    },
    skipped: count,
    async end() {
      while (queue.length > 0 && failure === undefined) {
        write();
        await writing;
      }
      await writing;
      if (failure !== undefined) throw failure;
    },
  };
}
