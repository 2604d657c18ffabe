import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { contextWith } from '../../../tests/support/operation-context.ts';
import { codeBlock } from './code-block.ts';
import { codeReview } from './code-review.ts';
import { debugHelp } from './debug-help.ts';
import { explainCode } from './explain-code.ts';

const context = contextWith({});

test('each prompt contains its code', async () => {
  const args = { code: 'let x = 1;', error: 'x is not defined', language: 'js', detail_level: 'brief' };

  for (const prompt of [codeReview, explainCode, debugHelp]) {
    assert.match((await prompt.get(args, context)).text, /```js\nlet x = 1;\n```/, prompt.name);
  }
  assert.match((await debugHelp.get(args, context)).text, /```\nx is not defined\n```/);
  assert.match((await explainCode.get(args, context)).text, /^Explain in a few sentences/);
});

test('a missing or wrong argument is named', async () => {
  await assert.rejects(codeReview.get({}, context), { code: 'VALIDATION_ERROR', field: 'code' });
  await assert.rejects(debugHelp.get({ code: 'x' }, context), { field: 'error' });
  await assert.rejects(explainCode.get({ code: 'x', detail_level: 'constructor' }, context), { field: 'detail_level' });
  await assert.rejects(codeReview.get({ code: 'x'.repeat(1_000_001) }, context), { code: 'TOO_LARGE' });
  assert.deepEqual(await explainCode.complete?.('detail_level', 'de', context, {}), ['detailed']);
});

test('code cannot close its fence, whatever is in it', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom('`', '``', '```', '\n', 'x', ' ')), fc.string(), (pieces, language) => {
      const code = pieces.join('');
      const lines = codeBlock(code, language).split('\n');
      const fence = lines.at(-1) ?? '';

      assert.match(fence, /^`{3,}$/);
      assert.ok(lines[0]?.startsWith(fence));
      assert.ok(!code.includes(fence));
      assert.equal(lines.slice(1, -1).join('\n'), code);
    }),
  );
});
