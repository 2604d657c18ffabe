import assert from 'node:assert/strict';
import { test } from 'node:test';
import { asUnanswered, callsIn, resultsIn, textBlock, textOf, unansweredCalls } from './conversation-message.ts';

const thinking = { type: 'thinking', thinking: 'Hm.', signature: 'x' };
const use = { type: 'tool_use', id: 'toolu_1', name: 'get_messages', input: { limit: 1 } };

test('the text of a message is what was said, without thoughts and calls', () => {
  assert.equal(textOf({ content: [thinking, textBlock('One'), use, textBlock('Two')] }), 'One\n\nTwo');
});

test('calls and results are found in blocks of any shape', () => {
  const content = [use, { type: 'tool_use', id: 5, name: 'x' }, { ...use, id: 'toolu_2', input: 'text' }];
  const results = [
    { type: 'tool_result', tool_use_id: 'toolu_1' },
    { type: 'tool_result', tool_use_id: 'toolu_2', is_error: true },
    { type: 'tool_result' },
  ];

  assert.deepEqual(callsIn({ content }), [
    { id: 'toolu_1', tool: 'get_messages', input: { limit: 1 } },
    { id: 'toolu_2', tool: 'get_messages', input: {} },
  ]);
  assert.deepEqual(
    [...resultsIn({ content: results })],
    [
      ['toolu_1', { isError: false }],
      ['toolu_2', { isError: true }],
    ],
  );
});

test('calls without results at the end of a history get one that says so', () => {
  const [call] = unansweredCalls([{ role: 'assistant', content: [use] }]);
  assert(call);

  const [result] = asUnanswered([call]);

  assert.partialDeepStrictEqual(result, { type: 'tool_result', tool_use_id: 'toolu_1', is_error: true });
  assert.deepEqual(unansweredCalls([{ role: 'user', content: [textBlock('Hi')] }]), []);
  assert.deepEqual(unansweredCalls([]), []);
});
