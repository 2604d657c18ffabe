import assert from 'node:assert/strict';
import { beforeEach, describe, mock, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { manualClock } from '../tests/support/manual-clock.ts';
import { silentLog } from '../tests/support/operation-context.ts';
import { tokenPrincipal } from '../tests/support/token-principal.ts';
import type { Capability } from './capability.ts';
import { localPrincipal } from './domain/principal.ts';
import { type Call, operation } from './operation.ts';
import { createPipeline, type PipelineParts } from './pipeline.ts';

const CALL: Call = { principal: localPrincipal(), door: 'cli' };
const SECRET = 'hunter2-hunter2';

const shouts = operation({
  cli: { path: 'shout' },
  kind: 'query',
  effect: 'reads',
  description: 'Says it again and again.',
  input: z.strictObject({ text: z.string() }),
  output: z.object({ said: z.string() }),
  run: async ({ text }) => ({ said: text }),
  follow: {
    isWanted: () => true,
    async *stream({ text }, { signal }) {
      for (let count = 1; !signal.aborted; count += 1) yield { said: `${text} ${count}`, inner: 'not for callers' };
    },
    resume: (input) => input,
  },
});

const capability: Capability = { name: 'chat', invalidInput: 'INVALID_PARAMETER', operations: [shouts], parts: {} };

describe('a stream', () => {
  const audit = mock.fn<PipelineParts['audit']>(async () => {});
  const mask = (text: string) => text.replaceAll(SECRET, '***');
  const pipeline = createPipeline({
    clock: manualClock(),
    log: silentLog,
    deadlineMs: () => 1,
    mask: { mask, maskDeep: (value) => JSON.parse(mask(JSON.stringify(value))) },
    audit,
  });
  beforeEach(() => audit.mock.resetCalls());

  test('returns its outputs one at a time, checked and masked, without a deadline, with one audit line', async () => {
    const over = new AbortController();
    const outputs: unknown[] = [];

    await pipeline.follow(capability, shouts, { text: SECRET }, { ...CALL, signal: over.signal }, async (output) => {
      await sleep(5);
      outputs.push(output);
      if (outputs.length === 3) over.abort();
    });

    assert.deepEqual(outputs, [{ said: '*** 1' }, { said: '*** 2' }, { said: '*** 3' }]);
    assert.equal(audit.mock.callCount(), 1);
    assert.partialDeepStrictEqual(audit.mock.calls[0]?.arguments[0], { operation: 'shout', result: 'ok' });
  });

  test('is refused like a call', async () => {
    const principal = tokenPrincipal('ci', []);
    const never = async () => assert.fail('nothing is given');

    await assert.rejects(pipeline.follow(capability, shouts, {}, CALL, never), { code: 'INVALID_PARAMETER' });
    await assert.rejects(pipeline.follow(capability, shouts, { text: 'a' }, { ...CALL, principal }, never), {
      code: 'FORBIDDEN',
    });
    assert.equal(audit.mock.callCount(), 2);
  });
});
