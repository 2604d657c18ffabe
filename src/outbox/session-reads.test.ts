import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { manualClock } from '../../tests/support/manual-clock.ts';
import { silentLog } from '../../tests/support/operation-context.ts';
import { openStore } from '../../tests/support/store/open-store.ts';
import { localPrincipal } from '../domain/principal.ts';
import { MANY_CHATS, MAX_READ_CHATS } from '../domain/read-chats.ts';
import { createSessionReads } from './session-reads.ts';

const principal = localPrincipal();
const IN_SESSION = { principal, session: 's1' };
const OPS = { source: 'libera', chat: '#ops', name: '#ops' };
const READER = { session: 's1', identity: 'local' };

describe('what sessions have read', () => {
  test('is written once for each chat, and known to a later process', async (context) => {
    const { reads, again, writes } = await setting(context);

    await reads.note(IN_SESSION, [OPS]);
    const first = writes();
    await reads.note(IN_SESSION, [OPS, OPS]);

    assert.equal(writes(), first);
    assert.partialDeepStrictEqual(await again().of(READER), [OPS]);
  });

  test('counts for another session that it tells, and what the person tells does not', async (context) => {
    const { reads } = await setting(context);
    const other = { principal, session: 's2' };
    const third = { principal, session: 's3' };
    await reads.note(IN_SESSION, [OPS]);

    await reads.share(IN_SESSION, other);
    await reads.share({ principal, isPerson: async () => true }, third);

    assert.partialDeepStrictEqual(await reads.of({ ...READER, session: 's2' }), [OPS]);
    assert.deepEqual(await reads.of({ ...READER, session: 's3' }), []);
  });

  test('does not include what the person reads', async (context) => {
    const { reads } = await setting(context);
    const person = { principal, isPerson: async () => true };

    await reads.note(person, [OPS]);

    assert.equal(await reads.keyOf(person), undefined);
    assert.deepEqual(await reads.of({ session: 'shared local', identity: 'local' }), []);
  });

  test('becomes one entry beyond the limit, which no chat answers', async (context) => {
    const { reads } = await setting(context);
    const chats = Array.from({ length: MAX_READ_CHATS + 5 }, (_, n) => ({ source: 'libera', chat: `#${n}`, name: '' }));

    await reads.note(IN_SESSION, chats);
    await reads.note(IN_SESSION, [OPS]);

    assert.partialDeepStrictEqual(await reads.of(READER), [MANY_CHATS]);
  });

  test('is forgotten until the submission of an approved item, unless it was read again', async (context) => {
    const { reads, clock } = await setting(context);
    await reads.note(IN_SESSION, [OPS, { ...OPS, chat: '#dev' }]);
    await reads.submitting(READER, async () => {});
    const createdAt = clock.now();
    clock.advance(1_000);
    await reads.note(IN_SESSION, [OPS]);

    await reads.approved({ ...READER, createdAt });

    assert.deepEqual(await reads.of(READER), [{ ...OPS, at: createdAt + 1_000 }]);
  });

  test('attack: text that is read again while an item waits counts after its approval, in every session', async (context) => {
    const { reads, clock } = await setting(context);
    const shared = { session: 'shared local', identity: 'local' };
    await reads.note({ principal }, [OPS]);
    await reads.submitting(shared, async () => {});
    const createdAt = clock.now();
    clock.advance(1_000);
    await reads.note({ principal }, [OPS]);

    await reads.approved({ ...shared, createdAt });

    const again = [{ ...OPS, at: createdAt + 1_000 }];
    assert.deepEqual([await reads.of(shared), await reads.of(READER)], [again, again]);
  });

  test('attack: text that is read again while an item is being stored counts after its approval', async (context) => {
    const { reads, clock } = await setting(context);
    const createdAt = await reads.submitting(READER, async () => {
      await reads.note(IN_SESSION, [OPS]);
      const now = clock.now();
      clock.advance(1_000);
      await reads.note(IN_SESSION, [OPS]);
      return now;
    });

    await reads.approved({ ...READER, createdAt });

    assert.deepEqual(await reads.of(READER), [{ ...OPS, at: createdAt + 1_000 }]);
  });

  test('in a session stays there; without sessions it counts for the whole principal', async (context) => {
    const { reads } = await setting(context);
    const shared = { session: 'shared local', identity: 'local' };
    await reads.note(IN_SESSION, [OPS]);
    const before = [await reads.of({ ...READER, session: 's2' }), await reads.of(shared)];

    await reads.note({ principal }, [{ ...OPS, chat: '#dev' }]);

    assert.deepEqual(
      before.map(({ length }) => length),
      [0, 1],
    );
    assert.equal((await reads.of({ ...READER, session: 's2' })).length, 1);
  });
});

async function setting(context: TestContext) {
  const clock = manualClock();
  const store = await openStore({ url: 'sqlite::memory:', home: '/nowhere', clock, log: silentLog });
  context.after(() => store.close());
  const add = context.mock.method(store.reads, 'add');
  const make = () => createSessionReads({ store: store.reads, clock });
  return { reads: make(), again: make, clock, writes: () => add.mock.callCount() };
}
