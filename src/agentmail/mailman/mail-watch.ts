import { type FSWatcher, mkdirSync, watch } from 'node:fs';
import { join } from 'node:path';

export interface MailWatch {
  /** Watches these folders from now on; those that are watched already stay so. */
  follow(folders: readonly string[]): void;
  /** Whether every folder is heard. */
  isWhole(): boolean;
  close(): void;
}

/** Says when mail comes or an agent's status changes. What cannot be heard is tried again by the next `follow`. */
export function watchMail(onNews: () => void, onDeaf: (folder: string, error: unknown) => void): MailWatch {
  const heard = new Map<string, FSWatcher>();
  let isWhole = true;

  function hear(folder: string, isNews: (file: string) => boolean): void {
    if (heard.has(folder)) return;
    try {
      const watcher = watch(folder, { persistent: false }, (_, file) => {
        if (file === null || isNews(file)) onNews();
      });
      watcher.on('error', (error) => lose(folder, error));
      heard.set(folder, watcher);
    } catch (error) {
      lose(folder, error);
    }
  }

  function lose(folder: string, error: unknown): void {
    heard.get(folder)?.close();
    heard.delete(folder);
    isWhole = false;
    onDeaf(folder, error);
  }

  return {
    follow(folders) {
      isWhole = true;
      for (const folder of folders) {
        const mailboxes = join(folder, 'mailboxes');
        try {
          mkdirSync(mailboxes, { recursive: true, mode: 0o750 });
        } catch (error) {
          lose(mailboxes, error);
        }
        hear(mailboxes, (file) => file.endsWith('.jsonl'));
        hear(folder, (file) => file === 'recipients.jsonl');
      }
    },
    isWhole: () => isWhole,
    close() {
      for (const watcher of heard.values()) watcher.close();
      heard.clear();
    },
  };
}
