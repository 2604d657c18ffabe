import type { KnownRepositories, KnownRepository } from '../../../agentmail/ports.ts';
import type { Clock } from '../../../lib/clock.ts';
import type { Database } from '../database.ts';

/** Per repository: the oldest sessions are deleted when newer ones are added. */
const MAX_SESSIONS = 20;
const MAX_REPOSITORIES = 1_000;

export function createKnownRepositories(db: Database, clock: Clock): KnownRepositories {
  return {
    note: (folder, session) =>
      db.write((tx) => {
        const now = clock.now();
        tx.run(
          `insert into agentmail_repositories (folder, seen_at) values (?, ?)
           on conflict (folder) do update set seen_at = excluded.seen_at`,
          folder,
          now,
        );
        if (!session) return;
        tx.run(
          `insert into agentmail_sessions (folder, tmux, pane, seen_at) values (?, ?, ?, ?)
           on conflict (folder, tmux, pane) do update set seen_at = excluded.seen_at`,
          folder,
          session.tmux,
          session.pane,
          now,
        );
        tx.run(
          `delete from agentmail_sessions where folder = ? and rowid not in (
             select rowid from agentmail_sessions where folder = ? order by seen_at desc, rowid desc limit ?)`,
          folder,
          folder,
          MAX_SESSIONS,
        );
      }),
    folders: () =>
      db.read((reader) =>
        reader.all<{ folder: string }>('select folder from agentmail_repositories').map(({ folder }) => folder),
      ),
    list: () =>
      db.read((reader) =>
        reader
          .all<{ folder: string }>(
            'select folder from agentmail_repositories order by seen_at desc, rowid desc limit ?',
            MAX_REPOSITORIES,
          )
          .map(
            ({ folder }): KnownRepository => ({
              folder,
              sessions: reader.all<{ tmux: string; pane: string }>(
                'select tmux, pane from agentmail_sessions where folder = ? order by seen_at desc, rowid desc',
                folder,
              ),
            }),
          ),
      ),
  };
}
