import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import type { SessionId } from '../../../src/domain/ids.ts';
import type { Clock } from '../../../src/lib/clock.ts';
import { manualClock } from '../manual-clock.ts';
import { accountContract } from './account-contract.ts';
import { conversationContract } from './conversation-contract.ts';
import { letterContract } from './letter-contract.ts';
import { mailContract } from './mail-contract.ts';
import { messageContract } from './message-contract.ts';
import type { Store } from './open-store.ts';
import { outboxContract } from './outbox-contract.ts';
import { audited, coded, event, follow, ids, newSession, numbers, outgoing, saveNew, types } from './samples.ts';
import { serverContract } from './server-contract.ts';
import { tokenContract } from './token-contract.ts';

/** What every database must do. `open` returns a new, empty store that the suite closes. */
export function storeContract(name: string, open: (clock: Clock) => Promise<Store>): void {
  describe(name, () => {
    const clock = manualClock();
    let store: Store;
    beforeEach(async () => {
      store = await open(clock);
    });
    afterEach(() => store.close());

    describe('sessions', () => {
      test('CORE-10 a saved session is found by its id, unchanged', async () => {
        const { session, events } = newSession('a');

        await store.sessions.save(session, events);

        assert.deepEqual(await store.sessions.find(session.id), session);
        assert.equal(await store.sessions.find('nobody' as SessionId), undefined);
      });

      test('CORE-10 saving again replaces the state', async () => {
        const { session, events } = newSession('a');
        const next = follow(session, { kind: 'subscribe', uri: 'chat://x', at: 2 });

        await store.sessions.save(session, events);
        await store.sessions.save(next.session, next.events);

        assert.deepEqual((await store.sessions.find(session.id))?.subscriptions, ['chat://x']);
        assert.equal((await store.sessions.list()).length, 1);
      });

      test('using a session updates its last activity and not its state', async () => {
        const { session } = await saveNew(store, 'a');
        const before = await store.events.range();

        await store.sessions.touch(session.id, 7);
        await store.sessions.touch('nobody' as SessionId, 7);

        assert.deepEqual(await store.sessions.find(session.id), { ...session, activeAt: 7 });
        assert.deepEqual(await store.sessions.list(), [{ ...session, activeAt: 7 }]);
        assert.deepEqual(await store.events.range(), before);
      });

      test('CORE-10 a deleted session no longer exists, and deleting it again reports that', async () => {
        const { session, events } = newSession('a');
        await store.sessions.save(session, events);

        const answers = [await store.sessions.delete(session.id), await store.sessions.delete(session.id)];

        assert.deepEqual(answers, [true, false]);
        assert.equal(await store.sessions.find(session.id), undefined);
      });

      test('CORE-10 sessions are listed newest first, page by page', async () => {
        for (const id of ['a', 'b', 'c', 'd', 'e']) await saveNew(store, id);

        const first = await store.sessions.list({ limit: 2 });
        const second = await store.sessions.list({ limit: 2, before: 'd' as SessionId });

        assert.deepEqual(ids(first), ['e', 'd']);
        assert.deepEqual(ids(second), ['c', 'b']);
      });

      test('CORE-10 open and closed sessions are listed separately', async () => {
        await saveNew(store, 'a');
        const { session } = await saveNew(store, 'b');
        const closed = follow(session, { kind: 'close', reason: 'idle', at: 5 });
        await store.sessions.save(closed.session, closed.events);

        assert.deepEqual(ids(await store.sessions.list({ open: true })), ['a']);
        assert.deepEqual(ids(await store.sessions.list({ open: false })), ['b']);
        assert.deepEqual(ids(await store.sessions.list()), ['b', 'a']);
      });

      test('CORE-04 the events of a session are stored with its state', async () => {
        const { session } = await saveNew(store, 'a');
        const ready = follow(
          session,
          {
            kind: 'initialize',
            protocolVersion: '1',
            client: { name: 'c', version: '1' },
            clientCapabilities: {},
            at: 2,
          },
          { kind: 'confirm', at: 3 },
          { kind: 'close', reason: 'client', at: 4 },
        );

        await store.sessions.save(ready.session, ready.events);

        const events = await store.events.read(0, { types: ['session.'] });
        assert.deepEqual(types(events), [
          'session.created',
          'session.initializing',
          'session.initialized',
          'session.closed',
        ]);
        assert.ok(events.every(({ subject }) => subject === 'a'));
        assert.deepEqual(events.at(-1)?.data, { reason: 'client', at: 4 });
      });
    });

    describe('the event log', () => {
      test('assigns each event the next number and a timestamp', async () => {
        const stored = await store.events.append([event('a.one', 1), event('a.two', 2)]);

        assert.deepEqual(stored, [
          { number: 1, at: new Date(clock.now()).toISOString(), type: 'a.one', subject: 'thing', data: { n: 1 } },
          { number: 2, at: new Date(clock.now()).toISOString(), type: 'a.two', subject: 'thing', data: { n: 2 } },
        ]);
        assert.deepEqual(await store.events.read(0), stored);
      });

      test('is read from any number', async () => {
        await store.events.append([event('a', 1), event('a', 2), event('a', 3)]);

        assert.deepEqual(numbers(await store.events.read(1)), [2, 3]);
        assert.deepEqual(numbers(await store.events.read(0, { limit: 2 })), [1, 2]);
        assert.deepEqual(numbers(await store.events.read(3)), []);
        assert.deepEqual(numbers(await store.events.read(99)), []);
      });

      test('is filtered by exact types and by prefixes that end in a dot', async () => {
        await store.events.append(
          ['session.created', 'session', 'sessions.x', 'outbox.sent', 'outbox.sent-not'].map((type) => event(type, 0)),
        );

        const read = async (...wanted: string[]) => types(await store.events.read(0, { types: wanted }));

        assert.deepEqual(await read('session.'), ['session.created']);
        assert.deepEqual(await read('session'), ['session']);
        assert.deepEqual(await read('outbox.sent', 'session.'), ['session.created', 'outbox.sent']);
        assert.deepEqual(await read('%.', '_'), []);
        assert.deepEqual(await read(), []);
      });

      test('finds a few matching events among very many, across its windows', async () => {
        const many = Array.from({ length: 12_000 }, (_, index) =>
          event(index % 4_000 === 3_999 ? 'rare' : 'common', index),
        );
        await store.events.append(many);

        assert.deepEqual(numbers(await store.events.read(0, { types: ['rare'] })), [4_000, 8_000, 12_000]);
        assert.deepEqual(numbers(await store.events.read(0, { types: ['rare'], limit: 2 })), [4_000, 8_000]);
        assert.equal((await store.events.read(0)).length, 1_000);
      });

      test('deletes events older than a timestamp and never reuses their numbers', async () => {
        await store.events.append([event('a', 1), event('a', 2)]);
        clock.advance(1_000);
        const moment = clock.now();

        assert.equal(await store.events.prune(moment), 2);
        assert.deepEqual(await store.events.range(), { first: 3, last: 2 });
        const [next] = await store.events.append([event('a', 3)]);

        assert.equal(next?.number, 3);
        assert.deepEqual(await store.events.range(), { first: 3, last: 3 });
        assert.equal(await store.events.prune(moment), 0);
      });

      test('has an empty range when nothing was ever written', async () => {
        assert.deepEqual(await store.events.range(), { first: 1, last: 0 });
      });

      test('notifies listeners after the commit, until they unsubscribe', async () => {
        const heard: number[][] = [];
        const stop = store.events.listen((events) => heard.push(numbers(events)));

        await store.events.append([event('a', 1), event('a', 2)]);
        await saveNew(store, 's');
        stop();
        await store.events.append([event('a', 3)]);

        assert.deepEqual(heard, [[1, 2], [3]]);
      });

      test('isolates a listener that throws from the writer and the other listeners', async () => {
        const heard: number[] = [];
        store.events.listen(() => {
          throw new Error('a broken listener');
        });
        store.events.listen((events) => heard.push(...numbers(events)));

        await store.events.append([event('a', 1)]);

        assert.deepEqual(heard, [1]);
      });

      test('notifies all listeners in the same order, even if a listener writes', async () => {
        const heard: number[] = [];
        const complete = Promise.withResolvers<void>();
        store.events.listen(([first]) => {
          if (first?.type === 'question') void store.events.append([event('answer', 0)]);
        });
        store.events.listen((events) => {
          heard.push(...numbers(events));
          if (heard.length === 3) complete.resolve();
        });

        await Promise.all([store.events.append([event('question', 0)]), store.events.append([event('other', 0)])]);
        await complete.promise;

        assert.deepEqual(heard, [1, 2, 3]);
      });
    });

    describe('the outbox', () => outboxContract(() => store, clock));

    describe('the audit log', () => {
      test('lists calls, newest first, whether they are buffered or written', async () => {
        const entries = [audited('get_messages', 'reads'), audited('send', 'sends'), audited('status', 'reads')];

        for (const entry of entries) await store.audit.append(entry);

        const listed = entries.map((entry, index) => ({ ...entry, position: index + 1 }));
        assert.deepEqual(await store.audit.list(), listed.toReversed());
        assert.deepEqual(await store.audit.list({ limit: 1 }), listed.slice(-1));
      });

      test('is filtered by principal', async () => {
        await store.audit.append({ ...audited('a', 'writes'), principal: 'ci' });
        await store.audit.append(audited('b', 'writes'));

        assert.deepEqual(
          (await store.audit.list({ principal: 'ci' })).map(({ operation }) => operation),
          ['a'],
        );
      });

      test('deletes calls older than a timestamp', async () => {
        await store.audit.append({ ...audited('old', 'writes'), at: 1 });
        await store.audit.append({ ...audited('new', 'reads'), at: 2 });
        await store.audit.flush();

        assert.equal(await store.audit.prune(2), 1);
        assert.equal((await store.audit.list())[0]?.operation, 'new');
      });
    });

    describe('tokens', () => tokenContract(() => store));

    describe('the index of agent mail', () => letterContract(() => store));

    describe('email accounts', () => accountContract(() => store));
    describe('emails', () => mailContract(() => store));

    describe('messages', () => messageContract(() => store));

    describe('conversations with Claude', () => conversationContract(() => store));

    describe('other MCP servers', () => serverContract(() => store));

    describe('administration', () => {
      test('reports where the store is and how large', async () => {
        const report = await store.admin.report();

        assert.ok(report.bytes > 0);
        assert.ok(report.schema >= 1);
        assert.notEqual(report.location, '');
      });

      test('reports a valid store as valid, and works after a vacuum', async () => {
        await saveNew(store, 'a');

        const check = await store.admin.check();
        await store.admin.vacuum();

        assert.deepEqual(check, { ok: true, problems: [] });
        assert.deepEqual(ids(await store.sessions.list()), ['a']);
      });
    });

    test('a closed store fails with an error that states it', async () => {
      await store.close();

      await assert.rejects(store.sessions.list(), coded('SERVICE_UNAVAILABLE'));
      await assert.rejects(store.outbox.add(outgoing({})), coded('SERVICE_UNAVAILABLE'));
    });
  });
}
