import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { UriTemplate } from '@modelcontextprotocol/server';
import fc from 'fast-check';
import type { ResourceUpdate } from '../capability.ts';
import { mayMatch, splitResume, subscriptionTo, templateMatcher } from './patterns.ts';

const UPDATE: ResourceUpdate = {
  uri: 'messages://telegram/family/42',
  fields: { sender: 'Alice', type: 'text' },
  data: {},
};

const matchesSubscription = (pattern: string, update: ResourceUpdate) => subscriptionTo(pattern)(update);

describe('a subscription', () => {
  const table: [string, boolean][] = [
    ['messages://telegram/family/42', true],
    ['messages://telegram/family/43', false],
    ['messages://telegram/family', false],
    ['messages://telegram/*/42', true],
    ['messages://*/family/42', true],
    ['messages://telegram/*', true],
    ['messages://*', true],
    ['messages://telegram/*/*', true],
    ['messages://telegram/*/*/*', false],
    ['messages://telegram/fam*', false],
    ['messages://telegram/*?sender=alice', true],
    ['messages://telegram/*?sender=ALICE&type=text', true],
    ['messages://telegram/*?sender=bob', false],
    ['messages://telegram/*?sender=alice&type=image', false],
    ['messages://telegram/*?colour=red', false],
    ['messages://telegram/*?sender=alice&after=17', true],
    ['messages://telegram/*?', true],
    ['', false],
    ['*', true],
  ];
  for (const [pattern, fits] of table) {
    test(`to ${pattern || 'nothing'} ${fits ? 'matches' : 'does not match'} the message`, () => {
      assert.equal(matchesSubscription(pattern, UPDATE), fits);
    });
  }

  test('filters by values that need escaping', () => {
    const update = { ...UPDATE, fields: { sender: 'Žofie & Söhne?' } };

    assert.equal(matchesSubscription(`messages://*?sender=${encodeURIComponent('žofie & söhne?')}`, update), true);
    assert.equal(matchesSubscription('messages://*?sender=%C5%BDofie+%26+S%C3%B6hne%3F', update), true);
  });

  test('that names a property of every object matches nothing', () => {
    for (const name of ['constructor', 'toString', '__proto__', 'hasOwnProperty']) {
      assert.equal(matchesSubscription(`messages://telegram/*?${name}=x`, UPDATE), false);
    }
  });

  test('of any text can be matched against any update', () => {
    fc.assert(
      fc.property(fc.webUrl({ withQueryParameters: true }), fc.string(), (uri, pattern) => {
        matchesSubscription(pattern, { ...UPDATE, uri });
        matchesSubscription(uri, UPDATE);
      }),
    );
  });
});

describe('whether a subscription can ever match', () => {
  const table: [string, string, boolean][] = [
    ['messages://telegram/*', 'messages://{source}/{chat}', true],
    ['messages://telegram/family', 'messages://{source}/{chat}', true],
    ['messages://telegram/family?sender=a', 'messages://{source}/{chat}', true],
    ['messages://*', 'messages://{source}/{chat}', true],
    ['messages://telegram', 'messages://{source}/{chat}', false],
    ['messages://telegram/', 'messages://{source}/{chat}', false],
    ['messages://telegram/a/b', 'messages://{source}/{chat}', false],
    ['email://telegram/a', 'messages://{source}/{chat}', false],
    ['switchboard://status', 'switchboard://status', true],
    ['switchboard://*', 'switchboard://status', true],
    ['switchboard://config', 'switchboard://status', false],
    ['', 'switchboard://status', false],
  ];
  for (const [pattern, address, fits] of table) {
    test(`${pattern || 'nothing'} ${fits ? 'may match' : 'never matches'} ${address}`, () => {
      assert.equal(mayMatch(pattern, address), fits);
    });
  }

  test('a pattern that matches a resource may match its template', () => {
    const part = fc.stringMatching(/^[a-z0-9%.-]{1,8}$/);
    fc.assert(
      fc.property(part, part, fc.constantFrom('both', 'source', 'chat', 'rest'), (source, chat, star) => {
        const uri = `messages://${source}/${chat}`;
        const pattern = {
          both: 'messages://*/*',
          source: `messages://*/${chat}`,
          chat: `messages://${source}/*`,
          rest: 'messages://*',
        }[star];

        assert.ok(matchesSubscription(pattern, { ...UPDATE, uri }));
        assert.ok(mayMatch(pattern, 'messages://{source}/{chat}'));
      }),
    );
  });
});

describe('the variables of a template', () => {
  const TEMPLATE = 'messages://{source}/{chat}';
  const variablesOf = templateMatcher(TEMPLATE);

  test('are found and decoded; a query may follow', () => {
    assert.deepEqual(variablesOf('messages://telegram/My%20Chat%2F1?limit=5'), {
      source: 'telegram',
      chat: 'My Chat/1',
    });
  });

  test('are undefined if the URI does not match', () => {
    for (const uri of ['', 'messages://telegram', 'messages://telegram/a/b', 'email://a/b', 'messages:///b']) {
      assert.equal(variablesOf(uri), undefined, uri);
    }
  });

  test('are undefined if the URI is invalid', () => {
    for (const uri of ['messages://telegram/%', 'messages://telegram/%ff', 'messages://a b/c', 'messages://[/c']) {
      assert.equal(variablesOf(uri), undefined, uri);
    }
  });

  test('are undefined for a URI of a megabyte, which is not parsed', () => {
    assert.equal(variablesOf(`messages://a/${'b'.repeat(2_000_000)}`), undefined);
  });

  test('can be searched for in any text', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.webUrl()), (text) => {
        const variables = variablesOf(`messages://${text}`);

        assert.ok(variables === undefined || URL.canParse(`messages://${text}`));
      }),
    );
  });

  test('are those that the SDK finds', () => {
    const sdk = new UriTemplate(TEMPLATE);
    const segment = fc.string({ unit: fc.constantFrom('a', 'b', '.', ',', ';', '-', '%20', '\n', 'é') });

    fc.assert(
      fc.property(fc.array(segment, { maxLength: 3 }), (segments) => {
        const uri = `messages://${segments.join('/')}`;
        const found = variablesOf(uri);
        const expected = URL.canParse(uri) ? sdk.match(uri) : null;

        assert.deepEqual(
          found &&
            Object.fromEntries(Object.entries(found).map(([name, value]) => [name, value.replaceAll(' ', '%20')])),
          expected === null ? undefined : { ...expected },
        );
      }),
    );
  });
});

describe('the position from which a subscription resumes', () => {
  const table: [string, { pattern: string; after?: number }][] = [
    ['messages://a/*', { pattern: 'messages://a/*' }],
    ['messages://a/*?after=17', { pattern: 'messages://a/*', after: 17 }],
    ['messages://a/*?sender=x&after=0', { pattern: 'messages://a/*?sender=x', after: 0 }],
    ['messages://a/*?after=3&sender=x', { pattern: 'messages://a/*?sender=x', after: 3 }],
    ['messages://a/*?sender=after', { pattern: 'messages://a/*?sender=after' }],
    ['messages://a/*?hereafter=3', { pattern: 'messages://a/*?hereafter=3' }],
  ];
  for (const [uri, resumes] of table) {
    test(`is read from ${uri}`, () => {
      assert.deepEqual(splitResume(uri), resumes);
    });
  }

  test('must be the number of an event', () => {
    for (const query of [
      'after=',
      'after',
      'after=-1',
      'after=1.5',
      'after=x',
      'after=1&after=2',
      `after=${'9'.repeat(16)}`,
    ]) {
      assert.throws(() => splitResume(`messages://a/*?${query}`), { code: 'VALIDATION_ERROR', field: 'uri' }, query);
    }
  });
});

test('a field with several values matches when one of them does, ignoring accents and case', () => {
  const update = { ...UPDATE, fields: { sender: ['José', 'jose@example.org'] } };

  assert.equal(matchesSubscription('messages://*?sender=jose', update), true);
  assert.equal(matchesSubscription('messages://*?sender=JOSE@example.org', update), true);
  assert.equal(matchesSubscription('messages://*?sender=jo', update), false);
});
