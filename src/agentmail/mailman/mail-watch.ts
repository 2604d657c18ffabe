import { type FSWatcher, lstatSync, watch } from 'node:fs';
import { basename, join } from 'node:path';
import { rootOf } from '../mailbox/locked-file.ts';
import { prepareFolder } from '../repository/repository-file.ts';

export interface MailWatch {
  /** Watches these folders from now on, and creates missing ones; watched ones are unchanged. */
  follow(folders: readonly string[]): void;
  /** Whether every folder is watched. */
  isWhole(): boolean;
  close(): void;
}

const MAILBOXES = 'mailboxes';

/**
 * Calls back when mail arrives or a status changes. A folder that cannot be watched is retried by the next `follow`.
 */
export function watchMail(onNews: () => void, onDeaf: (folder: string, error: unknown) => void): MailWatch {
  const heard = new Map<string, { watcher: FSWatcher; identity: string }>();
  let isWhole = true;

  function hear(folder: string, isNews: (file: string) => boolean): void {
    try {
      prepareFolder(folder, rootOf(folder));
      const identity = identityOf(folder);
      if (heard.get(folder)?.identity === identity) return;
      forget(folder);
      const watcher = watch(folder, { persistent: false }, (_, file) => {
        // The removal of a watched folder is reported under its own name.
        if (file === basename(folder)) forget(folder);
        if (file === null || file === basename(folder) || isNews(file)) onNews();
      });
      watcher.on('error', (error) => lose(folder, error));
      heard.set(folder, { watcher, identity });
    } catch (error) {
      lose(folder, error);
    }
  }

  function lose(folder: string, error: unknown): void {
    forget(folder);
    isWhole = false;
    onDeaf(folder, error);
  }

  function forget(folder: string): void {
    heard.get(folder)?.watcher.close();
    heard.delete(folder);
  }

  return {
    follow(folders) {
      isWhole = true;
      for (const folder of folders) {
        const mailboxes = join(folder, MAILBOXES);
        hear(folder, (file) => {
          // A new folder may even have the inode number of the removed one.
          if (file === MAILBOXES) forget(mailboxes);
          return file === MAILBOXES || file === 'recipients.jsonl';
        });
        hear(mailboxes, (file) => file.endsWith('.jsonl'));
      }
    },
    isWhole: () => isWhole,
    close() {
      for (const folder of [...heard.keys()]) forget(folder);
    },
  };
}

function identityOf(folder: string): string {
  const { dev, ino } = lstatSync(folder);
  return `${dev}:${ino}`;
}
