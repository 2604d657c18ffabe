import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { openCapability } from '../../tests/support/open-capability.ts';
import { contextWith, silentLog } from '../../tests/support/operation-context.ts';
import { openStore } from '../../tests/support/store/open-store.ts';
import { tokenPrincipal } from '../../tests/support/token-principal.ts';
import type { OpenCapability, Services } from '../capability.ts';
import type { StoredEvent } from '../domain/event-log.ts';
import { localPrincipal, type Principal } from '../domain/principal.ts';
import { systemClock } from '../lib/clock.ts';
import { claude } from './capability.ts';
import type { ClaudeContext } from './context.ts';
import { startConversation } from './operations/start-conversation.ts';
import { config } from './settings.ts';

const one = tokenPrincipal('one', ['claude:read', 'claude:write']);
const two = tokenPrincipal('two', ['claude:read', 'claude:write']);

async function setting(context: TestContext) {
  const store = await openStore({ url: 'sqlite::memory:', home: '/nowhere', clock: systemClock, log: silentLog });
  context.after(() => store.close());
  const settings = { claude: config.sections.claude?.schema.parse({}) as never };
  const services = { outbox: { shareReads: async () => {} }, system: { find: async () => undefined } };
  const open = () =>
    openCapability(claude({ tools: { list: () => [], capabilities: () => [] } }), {
      store: async () => ({ conversations: store.conversations }),
      settings: async () => settings,
      services: services as unknown as Partial<Services>,
    });
  return { store, open };
}

function partsOf(capability: OpenCapability, principal: Principal): ClaudeContext {
  return capability.partsFor?.(principal, contextWith({ principal })) as ClaudeContext;
}

async function started(capability: OpenCapability, principal: Principal): Promise<string> {
  const context = contextWith({ principal, ...partsOf(capability, principal) });
  return (await startConversation.run({ title: 'Hi' }, context)).conversation_id;
}

describe('conversations at run time', () => {
  test('notify their own token and the owner only, also after a restart', async (context) => {
    const { open } = await setting(context);
    const first = open();
    const id = await started(first, one);
    const second = open();
    await second.start?.();
    const event = { type: 'conversation.created', subject: id, data: {}, number: 1, at: '' } satisfies StoredEvent;

    for (const { events = [], updates, mayHear } of [first, second]) {
      const [update] = updates?.(event) ?? [];
      assert.equal(update?.uri, `conversation://${id}`);
      const heard = [one, two, localPrincipal()].map((principal) => [
        update && mayHear?.(principal, update),
        events[0]?.mayReceive?.(principal, event),
      ]);
      assert.deepEqual(heard, [
        [true, true],
        [false, false],
        [true, true],
      ]);
    }
  });

  test('end turns that a dead process was running', async (context) => {
    const { open, store } = await setting(context);
    const id = await started(open(), one);
    const conversation = await store.conversations.find(id as never);
    assert(conversation);
    const running = { ...conversation, version: 2, turn: { state: 'running' as const } };
    await store.conversations.save(running, [{ type: 'TurnStarted', at: 1 }]);

    await open().start?.();

    assert.deepEqual((await store.conversations.find(running.id))?.turn, { state: 'idle', outcome: 'interrupted' });
  });

  test('that are not of the caller appear not to exist', async (context) => {
    const { open } = await setting(context);
    const capability = open();
    const id = await started(capability, one);
    const seenBy = (principal: Principal) => partsOf(capability, principal).conversations;

    assert.deepEqual(
      [
        (await seenBy(two).list()).length,
        (await seenBy(one).list()).length,
        (await seenBy(localPrincipal()).list()).length,
      ],
      [0, 1, 1],
    );
    await assert.rejects(seenBy(two).get(id), { code: 'NOT_FOUND' });
    await assert.rejects(seenBy(two).messages(id as never), { code: 'NOT_FOUND' });
    assert.equal(await seenBy(two).delete(id as never), false);
  });
});
