import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { silentLog } from '../../tests/support/operation-context.ts';
import { tokenPrincipal } from '../../tests/support/token-principal.ts';
import { localPrincipal, type Principal } from '../domain/principal.ts';
import { createQuota } from '../domain/quota.ts';
import { createListenRequests } from './listen-requests.ts';
import type { Registry } from './registry.ts';
import { createSessionSubscriptions } from './session-subscriptions.ts';

const registry = {
  onUpdate: () => () => {},
  checkSubscription: async (uri: string) => ({ pattern: uri, follows: [uri] }),
} as unknown as Registry;

describe('a token that subscribes to more than its share, over many connections', () => {
  const build = () => {
    const subscribed = createQuota({ things: 'URIs', state: 'are subscribed to' }, () => ({ total: 10, perToken: 3 }));
    const partsOf = (principal: Principal) => ({
      registry,
      principal,
      subscribed,
      session: () => undefined,
      log: silentLog,
      send: async () => {},
    });
    return {
      subscribed,
      listens: (principal: Principal) => createListenRequests(partsOf(principal)),
      session: (principal: Principal) =>
        createSessionSubscriptions({
          ...partsOf(principal),
          keeper: { current: () => undefined, subscribe() {}, unsubscribe() {} },
        }),
    };
  };
  const guest = tokenPrincipal('guest', []);
  const to = (uri: string) => ({ pattern: uri, follows: [uri] });

  test('is refused, and others are not', async () => {
    const { listens, session } = build();
    await listens(guest).check(1, ['a://1', 'a://2']);
    const own = session(guest);
    own.subscribe(to('a://3'), 0);

    assert.throws(() => own.subscribe(to('a://4'), 0), { code: 'BUSY', message: /^3 URIs of this token/ });
    await assert.rejects(listens(guest).check(2, ['a://4']), { code: 'BUSY' });
    session(tokenPrincipal('friend', [])).subscribe(to('a://4'), 0);
    await listens(localPrincipal()).check(1, ['a://1', 'a://2', 'a://3', 'a://4']);
  });

  test('may subscribe again to what it has, and to others when it has ended some', async () => {
    const { subscribed, listens, session } = build();
    const listening = listens(guest);
    const own = session(guest);
    await listening.check(1, ['a://1', 'a://2']);
    own.subscribe(to('a://3'), 0);
    own.subscribe(to('a://3'), 0);

    listening.end(1);
    own.subscribe(to('a://4'), 0);
    own.unsubscribe('a://3');
    await listening.check(2, ['a://5', 'a://6']);
    assert.equal(subscribed.taken(), 3);

    listening.close();
    own.close();
    assert.equal(subscribed.taken(), 0);
  });
});
