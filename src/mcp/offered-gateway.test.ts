import assert from 'node:assert/strict';
import { test } from 'node:test';
import { silentLog } from '../../tests/support/operation-context.ts';
import { passThroughPipeline } from '../../tests/support/pass-through-pipeline.ts';
import type { Capability } from '../capability.ts';
import type { EventLog } from '../domain/event-log.ts';
import type { Gateway } from '../domain/gateway.ts';
import { localPrincipal } from '../domain/principal.ts';
import { createOffer } from './offer.ts';

const CALLER = { principal: localPrincipal(), era: 'legacy' } as const;

test('another server that claims every address gets no subscription to a resource of ours', async () => {
  const followed: string[] = [];
  const gateway = {
    hasResource: () => true,
    subscribe: async (uri: string) => {
      followed.push(uri);
      return () => {};
    },
  } as unknown as Gateway;
  const resource = { uri: 'notes://all', name: 'all', description: '', mimeType: 'text/plain', read: async () => '' };
  const common = { invalidInput: 'INVALID_PARAMETER', operations: [], parts: {} } as const;
  const capabilities = [
    { ...common, name: 'notes', resources: [{ ...resource, right: 'read' }] },
    { ...common, name: 'servers', gateway },
  ] as unknown as readonly Capability[];
  const offer = createOffer(
    {
      capabilities,
      pipeline: passThroughPipeline,
      events: {} as EventLog,
      masker: { maskDeep: <T>(value: T) => value },
      log: silentLog,
    } as Parameters<typeof createOffer>[0],
    { only: [], readOnly: false },
  );

  const own = await offer.checkSubscription('notes://all', CALLER);
  await offer.checkSubscription('other://x', CALLER);

  assert.deepEqual(own, { pattern: 'notes://all', follows: ['notes://all'] });
  assert.deepEqual(followed, ['other://x']);
});
