import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { JsonObject } from '../../domain/json.ts';
import { forwardedMeta, linkedResources, markedResult, wellFormed } from './results.ts';

describe('metadata', () => {
  test('HOST-22 of a request is passed on without what concerns one connection', () => {
    const meta = { 'x.test/a': 1, traceparent: '00-1', progressToken: 7, 'io.modelcontextprotocol/logLevel': 'info' };

    assert.deepEqual(forwardedMeta(meta), { _meta: { 'x.test/a': 1, traceparent: '00-1' } });
    assert.deepEqual(forwardedMeta({ progressToken: 7 }), {});
    assert.deepEqual(forwardedMeta(undefined), {});
  });

  test('HOST-22 of a result names the server, and not the one behind our own connection', () => {
    const meta = { 'x.test/k': 'v', 'io.modelcontextprotocol/serverInfo': { name: 'other' } };

    const { _meta: marked } = markedResult({ content: [], _meta: meta }, 'github', false);

    assert.deepEqual(marked, { 'x.test/k': 'v', 'switchboard/server': 'github', 'switchboard/untrusted': true });
  });
});

describe('results of servers', () => {
  test('HOST-22 keep binary content and URIs', () => {
    const content = [
      { type: 'image', data: 'aGk=', mimeType: 'image/png' },
      { type: 'resource_link', uri: 'test://x', name: 'x' },
    ];

    assert.deepEqual(markedResult({ content }, 's', false).content, content);
    assert.deepEqual(linkedResources({ content }), ['test://x']);
  });

  test('HOST-22 have the lists that clients require, without entries that are none', () => {
    const block = { type: 'text', text: 'a' };
    const message = { role: 'user', content: block };

    assert.deepEqual(wellFormed('tools/call', { structuredContent: { n: 1 } }), {
      structuredContent: { n: 1 },
      content: [],
    });
    assert.deepEqual(wellFormed('tools/call', { content: [block, 'text', null, {}] }), { content: [block] });
    assert.deepEqual(wellFormed('prompts/get', { messages: [message, { role: 'user' }] }), { messages: [message] });
    assert.deepEqual(wellFormed('resources/read', { contents: { uri: 'x' } }), { contents: [] });
    for (const broken of [{ type: 'text' }, { type: 'text', text: {} }, { type: 'resource', resource: { text: 1 } }]) {
      assert.deepEqual(wellFormed('tools/call', { content: [broken, block] }), { content: [block] });
      assert.deepEqual(wellFormed('prompts/get', { messages: [{ role: 'user', content: broken }] }), { messages: [] });
    }
    assert.deepEqual(wellFormed('resources/read', { contents: [{ uri: 'x', text: 1 }] }), { contents: [] });
  });

  test('HOST-22 cannot ask the client: only a connection without sessions does that', () => {
    const result = { resultType: 'input_required', inputRequests: {}, content: [] };

    assert.equal(wellFormed('tools/call', result).resultType, undefined);
  });

  test('HOST-22 of any form are marked without failing', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.jsonValue(), (other, content) => {
        const result = wellFormed('tools/call', { ...other, content } as JsonObject);

        linkedResources(result);
        assert.ok(markedResult(result, 's', false)._meta);
      }),
    );
  });
});
