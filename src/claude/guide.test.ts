import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { localPrincipal } from '../domain/principal.ts';
import { claudeGuide } from './guide.ts';

describe('what models are told of conversations with Claude', () => {
  const audience = { principal: localPrincipal() };
  const guideWith = (hasKey: boolean) => claudeGuide({ hasKey: () => hasKey });

  test('without an API key only the tool that says so is listed, and nothing is introduced', () => {
    const guide = guideWith(false);

    const listed = ['ask_claude', 'conversation_start', 'claude_models'].filter((tool) =>
      guide.canWork?.(tool, audience),
    );

    assert.deepEqual(listed, ['ask_claude']);
    assert.equal(
      guide.introduction?.(audience, (tool) => tool),
      undefined,
    );
  });

  test('with a key all can work, and those of this endpoint are introduced', () => {
    const guide = guideWith(true);

    const introduction = guide.introduction?.(audience, (tool) => (tool === 'ask_claude' ? tool : undefined));

    assert.ok(guide.canWork?.('conversation_start', audience));
    assert.deepEqual(introduction, { text: 'Claude: ask_claude asks one question.' });
  });
});
