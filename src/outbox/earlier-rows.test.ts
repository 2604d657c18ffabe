import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, type TestContext, test } from 'node:test';
import { openCapability } from '../../tests/support/open-capability.ts';
import { personWith, silentLog } from '../../tests/support/operation-context.ts';
import { openStore } from '../../tests/support/store/open-store.ts';
import { temporaryFolder } from '../../tests/support/temporary-folder.ts';
import { CHAT, chatSender, toPayload } from '../chat/sending.ts';
import type { Outgoing } from '../connectors/connector.ts';
import type { OutboxPort } from '../domain/outbox.ts';
import { localPrincipal } from '../domain/principal.ts';
import { systemClock } from '../lib/clock.ts';
import { migrate } from '../storage/sqlite/migrate.ts';
import { SHARED_MIGRATIONS } from '../storage/sqlite/migrations/index.ts';
import { outbox } from './capability.ts';
import { approveItem } from './operations/approve-item.ts';
import { listOutbox } from './operations/list-outbox.ts';
import { showItem } from './operations/show-item.ts';
import type { OutboxParts } from './ports.ts';

/** Rows as the version with migrations 1 to 7 wrote them. */
const ROWS = [
  ['held', '#dev', { chat: '#dev', to: 'Development', text: 'two\nlines', reply_to: 'net-1' }, 'k'],
  ['queued', '!x:hs', { chat: '!x:hs', to: 'Family "\u{1F600}"', text: 'x'.repeat(300) }, null],
  ['sent', '#gone', {}, null],
] as const;

describe('rows of an earlier version', () => {
  test('are shown as before, approved and sent', async (context) => {
    const { parts, sent } = await openEarlier(context);
    const at = personWith(parts);

    const { items } = await listOutbox.run(listOutbox.input.parse({ all: true }), at);
    const held = await showItem.run({ id: 'o1' }, at);
    const approved = await approveItem.run({ id: 'o1' }, at);

    assert.deepEqual(
      items.map(({ id, to, chat_id: chat, text }) => [id, to, chat, text?.length]),
      [
        ['o3', undefined, undefined, undefined],
        ['o2', 'Family "\u{1F600}"', '!x:hs', 300],
        ['o1', 'Development', '#dev', 9],
      ],
    );
    assert.equal(items[1]?.summary, `${'x'.repeat(200)}…`);
    assert.match(showItem.render?.(held) ?? '', /^o1 held: "two\\nlines" to "Development" \(id "#dev"\) through ops/);
    assert.equal(approved.state, 'sent');
    assert.deepEqual(sent.map(({ id, chat, text, replyTo }) => [id, chat, text.length, replyTo]).sort(), [
      ['o1', '#dev', 9, 'net-1'],
      ['o2', '!x:hs', 300, undefined],
    ]);
  });

  test('are known by their idempotency keys', async (context) => {
    const { submit } = await openEarlier(context);

    const again = await submit(
      {
        sender: CHAT,
        through: 'ops',
        lane: '#dev',
        recipients: [{ id: '#dev', name: 'Renamed' }],
        summary: 'two\nlines',
        payload: toPayload({ chat: '#dev', text: 'two\nlines', replyTo: 'net-1' }),
        idempotencyKey: 'k',
      },
      { principal: localPrincipal(), signal: AbortSignal.abort() },
    );

    assert.equal(again.id, 'o1');
  });
});

/** The outbox as the program opens it, on such a store. */
async function openEarlier(context: TestContext) {
  const home = temporaryFolder((cleanUp) => context.after(cleanUp));
  writeRows(join(home, 'switchboard.db'));
  const store = await openStore({ url: 'sqlite', home, clock: systemClock, log: silentLog });
  const sent: Outgoing[] = [];
  const capability = openCapability(outbox, {
    store: async () => ({ items: store.outbox, reads: store.reads }),
    events: async () => store.events,
    settings: async () => ({ policy: { keep_sent_days: 30 } }),
  });
  const port = capability.service as OutboxPort;
  port.register(
    chatSender({
      async send(_, outgoing) {
        sent.push(outgoing);
        return { kind: 'sent' };
      },
      wasSent: async () => ({ kind: 'unknown', reason: '' }),
      log: silentLog,
    }),
  );
  await capability.start?.();
  context.after(async () => {
    await capability.stop?.();
    await store.close();
  });
  return { parts: capability.parts as OutboxParts, submit: port.submit, sent };
}

function writeRows(file: string): void {
  const db = new DatabaseSync(file);
  migrate(db, { shared: SHARED_MIGRATIONS.slice(0, 7), capabilities: {} }, 1);
  const insert = db.prepare(
    `insert into outbox (id, kind, source, principal, idempotency_key, payload, state, attempts, created_at, changed_at, due_at, lane)
     values (?, 'chat', 'ops', 'local', ?, ?, ?, 0, 1, 1, 1, ?)`,
  );
  for (const [index, [state, lane, payload, key]] of ROWS.entries()) {
    insert.run(`o${index + 1}`, key, JSON.stringify(payload), state, lane);
  }
  db.close();
}
