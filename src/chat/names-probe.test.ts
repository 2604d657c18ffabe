import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ProbeContext } from '../capability.ts';
import { namesProbe } from './names-probe.ts';
import { listSources } from './operations/list-sources.ts';

type Context = Parameters<typeof namesProbe.examine>[0];

const CHATS: Record<string, object[]> = {
  agentmail: [{ id: 'alice@00081759', name: 'alice' }],
  hook: [{ id: 'ops', name: 'ops' }],
};

/** A daemon with a source that the configuration does not list. */
const ask = (async (operation: unknown, input: { source?: string }) =>
  operation === listSources
    ? { sources: Object.keys(CHATS).map((id) => ({ id })) }
    : { chats: CHATS[input.source ?? ''] ?? [] }) as unknown as ProbeContext<unknown>['ask'];

async function findings(allowed: string[], asked = ask): Promise<string[]> {
  const settings = { sources: { hook: { kind: 'webhook' } }, policy: { allowed_recipients: allowed } };
  const found = await namesProbe.examine({ home: '/nowhere', settings, ask: asked } as unknown as Context);
  return found.map(({ state, says, mend }) => [state, says, mend].filter(Boolean).join(' | '));
}

test('doctor finds a name in a list of recipients that is one of agent mail', async () => {
  for (const entry of ['alice', 'agentmail:alice']) {
    const [finding, ...others] = await findings([entry]);

    assert.deepEqual(others, []);
    assert.match(finding ?? '', /^warning .*means the chat with this id.*in source agentmail/);
    assert.match(finding ?? '', /alice@00081759/);
  }
});

test('doctor accepts lists of ids, and asks about the configured sources where there is no daemon', async () => {
  assert.match(String(await findings(['alice@00081759', 'ops', '*'])), /^ok/);
  assert.match(String(await findings(['alice'], async () => undefined)), /^ok/);
});
