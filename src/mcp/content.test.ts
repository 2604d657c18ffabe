import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { CallToolResult, GetPromptResult } from '@modelcontextprotocol/server';
import { fitPrompt, fitResult } from './content.ts';

const TEXT = { type: 'text', text: 'hello' } as const;
const IMAGE = { type: 'image', data: 'AAAA', mimeType: 'image/png' } as const;
const AUDIO = { type: 'audio', data: 'AAAA', mimeType: 'audio/wav' } as const;
const LINK = { type: 'resource_link', uri: 'messages://a/b', name: 'b', title: 'Chat b' } as const;
const EMBEDDED = { type: 'resource', resource: { uri: 'a://b', text: 'x' } } as const;

const ALL: CallToolResult = { content: [TEXT, IMAGE, AUDIO, LINK, EMBEDDED] };

describe('a result for a protocol version', () => {
  const kept = { '2024-11-05': ['audio', 'resource_link'], '2025-03-26': ['resource_link'] };
  for (const version of ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28', undefined]) {
    test(`${version ?? 'that is not negotiated'} has only content of that version`, () => {
      const unknown: readonly string[] = kept[version as keyof typeof kept] ?? [];

      const { content } = fitResult(ALL, version);

      assert.deepEqual(
        content.map(({ type }) => type),
        ALL.content.map(({ type }) => (unknown.includes(type) ? 'text' : type)),
      );
    });
  }

  test('states in text what could not be included', () => {
    const { content } = fitResult({ content: [AUDIO, LINK, { ...LINK, title: undefined }] }, '2024-11-05');

    assert.deepEqual(
      content.map((block) => 'text' in block && block.text),
      [
        "[audio, audio/wav: this client's protocol version cannot carry it]",
        'Chat b: messages://a/b',
        'b: messages://a/b',
      ],
    );
  });

  test('has a text beside structured content, since clients differ in which they read', () => {
    const structuredContent = { a: 1 };

    const bare = fitResult({ content: [], structuredContent }, '2025-11-25');
    const picture = fitResult({ content: [IMAGE], structuredContent }, '2025-11-25');
    const worded = fitResult({ content: [TEXT], structuredContent }, '2025-11-25');

    assert.deepEqual(bare, { content: [{ type: 'text', text: '{"a":1}' }], structuredContent });
    assert.deepEqual(picture.content, [IMAGE, { type: 'text', text: '{"a":1}' }]);
    assert.deepEqual(worded.content, [TEXT]);
  });

  test('hides nothing in an embedded resource', () => {
    const hidden = { type: 'resource', resource: { uri: 'a://b', text: 'a\u{e0041}b' } } as const;

    const { content } = fitResult({ content: [hidden] }, '2025-11-25');

    assert.deepEqual(content, [{ type: 'resource', resource: { uri: 'a://b', text: 'a\\u{e0041}b' } }]);
  });

  test('does not change the given result', () => {
    const given: CallToolResult = { content: [], structuredContent: { a: 1 }, isError: true };

    const fitted = fitResult(given, '2024-11-05');

    assert.deepEqual(given.content, []);
    assert.equal(fitted.isError, true);
  });
});

test('a prompt has only content of its version', () => {
  const prompt: GetPromptResult = {
    description: 'About b',
    messages: [
      { role: 'user', content: LINK },
      { role: 'assistant', content: AUDIO },
    ],
  };

  const old = fitPrompt(prompt, '2024-11-05');

  assert.equal(old.description, 'About b');
  assert.deepEqual(
    old.messages.map(({ role, content }) => [role, content.type]),
    [
      ['user', 'text'],
      ['assistant', 'text'],
    ],
  );
  assert.deepEqual(fitPrompt(prompt, '2025-06-18'), prompt);
});
