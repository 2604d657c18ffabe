import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openDatabase } from '../../../../tests/support/store/open-store.ts';
import { systemClock } from '../../../lib/clock.ts';
import { MEMORY } from '../connection.ts';
import { createChatStore } from './chats.ts';
import { idAt } from './message-ids.ts';
import { createMessageStore } from './messages.ts';
import { MAX_IN_MATCH } from './query-terms.ts';
import { toSearchScope } from './search-scope.ts';

const OLD = Date.UTC(2015, 0);
const NEW = Date.UTC(2025, 0);

test('of very many chats, messages that are newer than all of theirs are not looked at', async (context) => {
  const db = await openDatabase({ location: MEMORY, clock: systemClock });
  context.after(() => db.close());
  const messages = createMessageStore(db, systemClock);
  const record = (name: string, at: number) => ({
    kind: 'message' as const,
    message: { chat: { id: name, name }, id: name, sender: { id: 'a', name: 'A' }, text: `in ${name}`, at },
  });
  const old = Array.from({ length: MAX_IN_MATCH + 1 }, (_, number) => record(`old ${number}`, OLD + number));
  await messages.record({ source: 's', origin: 'older', events: [...old, record('new', NEW)] });
  const chats = (await createChatStore(db).resolve(['s'], 'old')).map(({ key }) => key);

  const scope = await db.read((reader) => toSearchScope(reader, { chats }, { limit: 2 }));
  const page = await messages.find({ chats }, { limit: 2 });

  assert.ok((scope?.high ?? Number.POSITIVE_INFINITY) < idAt(NEW));
  assert.deepEqual(
    page.messages.map(({ text }) => text),
    [`in old ${MAX_IN_MATCH}`, `in old ${MAX_IN_MATCH - 1}`],
  );
});
