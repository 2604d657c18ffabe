import type { FormerLetters, IndexedLetter } from '../../../agentmail/ports.ts';
import type { Database, Reader } from '../database.ts';

interface LetterRow {
  position: number;
  repository: string;
  id: string;
  sender: string;
  recipient: string;
  message: string;
  created_at: number;
}

const TABLE = 'agentmail_letters_to_copy';

export function createFormerLetters(db: Database): FormerLetters {
  let running: Promise<void> | undefined;

  async function copy(...[add, batchSize]: Parameters<FormerLetters['copyTo']>): Promise<void> {
    if (!(await db.read(hasTable))) return;
    for (let after = 0; ; ) {
      const sql = `select * from ${TABLE} where position > ? order by position limit ?`;
      const rows = await db.read((reader) => reader.all<LetterRow>(sql, after, batchSize));
      if (rows.length === 0) break;
      await add(rows.map(toLetter));
      after = rows.at(-1)?.position ?? after;
    }
    await db.write((tx) => void tx.run(`drop table if exists ${TABLE}`));
  }

  return {
    // Concurrent callers share one copy: a second one would read a table that the first one drops.
    copyTo(add, batchSize) {
      running ??= copy(add, batchSize).finally(() => {
        running = undefined;
      });
      return running;
    },
  };
}

function hasTable(reader: Reader): boolean {
  return reader.get(`select 1 from sqlite_master where type = 'table' and name = ?`, TABLE) !== undefined;
}

function toLetter(row: LetterRow): IndexedLetter {
  const { repository, id, sender: from, recipient: to, message, created_at: createdAt } = row;
  return { repository, id, from, to, message, ...(createdAt === 0 ? {} : { createdAt }) };
}
