import { tokenFacts } from '../../domain/principal.ts';
import type { Clock } from '../../lib/clock.ts';
import type { StoredToken, TokenRepository } from '../../system/ports.ts';
import type { Database } from './database.ts';
import { appendEvents } from './event-log.ts';

interface TokenRow {
  name: string;
  hash: string;
  scopes: string;
  agent: string | null;
  chats: string | null;
  send_chats: string | null;
  policy: string | null;
  grants: string | null;
  created_at: number;
}

/** Made by the token with this hash, directly or by one that it made. */
const MADE_BY = `exists (select 1 from json_each(tokens.grants, '$.madeBy') where value = ?)`;

export function createTokenRepository(db: Database, clock: Clock): TokenRepository {
  return {
    add: ({ name, hash, scopes, createdAt, agent, chats, sendChats, policy, ...others }) =>
      db.write((tx) => {
        const added = tx.run(
          `insert into tokens (name, hash, scopes, agent, chats, send_chats, policy, grants, created_at)
           values (?, ?, ?, ?, ?, ?, ?, ?, ?) on conflict (name) do nothing`,
          name,
          hash,
          JSON.stringify(scopes),
          agent ?? null,
          asText(chats),
          asText(sendChats),
          asText(policy),
          Object.keys(others).length === 0 ? null : JSON.stringify(others),
          createdAt,
        );
        if (added === 0) return false;
        appendEvents(tx, [{ type: 'token.added', subject: name, data: { scopes: [...scopes] } }], clock.now());
        return true;
      }),
    list: () => db.read((reader) => reader.all<TokenRow>('select * from tokens order by name').map(toToken)),
    remove: ({ name, hash }, { evenLast }) =>
      db.write((tx) => {
        const count = tx.get<{ count: number }>('select count(*) as count from tokens')?.count ?? 0;
        const isKnown = tx.get('select 1 from tokens where name = ? and hash = ?', name, hash) !== undefined;
        if (!isKnown) return 'unknown';
        const made = tx.all<{ name: string }>(`select name from tokens where ${MADE_BY}`, hash);
        const names = [name, ...made.map((row) => row.name)];
        if (count === names.length && !evenLast) return 'last';
        for (const each of names) tx.run('delete from tokens where name = ?', each);
        const removed = names.map((subject) => ({ type: 'token.removed', subject, data: {} }));
        appendEvents(tx, removed, clock.now());
        return 'removed';
      }),
  };
}

function toToken({ name, hash, scopes, agent, created_at: createdAt, ...row }: TokenRow): StoredToken {
  // Fields without a column are in `grants`.
  const facts = tokenFacts({
    ...fromText<object>(row.grants),
    agent: agent ?? undefined,
    chats: fromText(row.chats),
    sendChats: fromText(row.send_chats),
    policy: fromText(row.policy),
  });
  return { name, hash, scopes: JSON.parse(scopes) as string[], ...facts, createdAt };
}

function asText(value: unknown): string | null {
  return value === undefined ? null : JSON.stringify(value);
}

function fromText<T>(text: string | null): T | undefined {
  return text === null ? undefined : (JSON.parse(text) as T);
}
