import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isInitializeRequest } from '@modelcontextprotocol/server';
import fc from 'fast-check';
import { introductionOf } from './introduction.ts';

const anything = fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.constant({ much: Number.POSITIVE_INFINITY }));
const text = fc.string();

function mostly(value: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  return fc.oneof({ weight: 60, arbitrary: value }, anything);
}

/** An object that mostly has valid values for these keys, and sometimes others. */
function nearly(keys: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<unknown> {
  const record = Object.fromEntries(Object.entries(keys).map(([key, value]) => [key, mostly(value)]));
  return fc.record({ ...record, unknown: anything }, { requiredKeys: [] });
}

const empty = fc.constant({});
const icon = nearly({
  src: text,
  mimeType: text,
  sizes: fc.array(text),
  theme: fc.constantFrom('light', 'dark'),
});
const capabilities = nearly({
  experimental: fc.dictionary(text, mostly(empty)),
  extensions: fc.dictionary(text, mostly(empty)),
  roots: nearly({ listChanged: fc.boolean() }),
  sampling: nearly({ context: empty, tools: empty }),
  elicitation: fc.oneof(empty, nearly({ form: nearly({ applyDefaults: fc.boolean() }), url: empty })),
  tasks: nearly({
    list: empty,
    cancel: empty,
    requests: nearly({ sampling: nearly({ createMessage: empty }), elicitation: nearly({ create: empty }) }),
  }),
});
const clientInfo = fc
  .tuple(
    fc.record({ name: text, version: text }),
    nearly({ title: text, description: text, websiteUrl: text, icons: fc.array(icon) }),
  )
  .map(([required, optional]) => ({ ...required, ...(optional as object) }));

describe('the introduction of a client', () => {
  test('is accepted exactly where the SDK accepts it', () => {
    const params = fc.record({ protocolVersion: text, capabilities, clientInfo });
    let accepted = 0;

    fc.assert(
      fc.property(fc.oneof(params, nearly({ protocolVersion: text, capabilities, clientInfo })), (said) => {
        const expected = isInitializeRequest({ method: 'initialize', params: said });

        assert.equal(isAccepted(said as Record<string, unknown>), expected);
        if (expected) accepted += 1;
      }),
      { numRuns: 3_000 },
    );

    assert.ok(accepted > 300, `only ${accepted} were accepted: the test looks at too little`);
  });
});

function isAccepted(params: Record<string, unknown>): boolean {
  try {
    introductionOf(params);
    return true;
  } catch {
    return false;
  }
}
