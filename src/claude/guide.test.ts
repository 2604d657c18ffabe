import assert from 'node:assert/strict';
import { test } from 'node:test';
import { localPrincipal } from '../domain/principal.ts';
import { claudeGuide } from './guide.ts';

const audience = { principal: localPrincipal() };

test('without an API key one tool is listed, which says what is missing', () => {
  const { canWork, introduction } = claudeGuide({ hasKey: () => false });

  assert.deepEqual([canWork?.('ask_claude', audience), canWork?.('conversation_start', audience)], [true, false]);
  assert.equal(
    introduction?.(audience, (tool) => tool),
    undefined,
  );
});

test('with one all are, and models are told what for', () => {
  const { canWork, introduction } = claudeGuide({ hasKey: () => true });

  assert.equal(canWork?.('conversation_start', audience), true);
  assert.match(introduction?.(audience, (tool) => tool)?.text ?? '', /conversation_start and conversation_send/);
  assert.equal(
    introduction?.(audience, () => undefined),
    undefined,
  );
});
