import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { AppError } from '../../domain/errors.ts';
import type { GatewayRequest } from '../../domain/gateway.ts';
import type { JsonObject } from '../../domain/json.ts';
import { type Asking, createStatelessQuestions } from './stateless-questions.ts';

const NEVER = new AbortController().signal;
const OWNER = 'local github tools/call create';

function requestWith(details: Partial<GatewayRequest> = {}): GatewayRequest {
  return { signal: NEVER, canAnswer: () => true, ...details } as GatewayRequest;
}

/** The request that a client sends after it was answered with questions. */
function repeat({ requestState }: JsonObject, responses: JsonObject, signal = NEVER): GatewayRequest {
  return requestWith({ signal, repeated: { state: String(requestState), responses } });
}

const elicit = (ask: Asking, message: string, signal: AbortSignal) => ask('elicitation/create', { message }, signal);

describe('questions to clients without sessions', () => {
  test('HOST-22 a request without questions is answered with its result', async () => {
    const questions = createStatelessQuestions();

    const result = await questions.begin(OWNER, requestWith(), async () => ({ content: [] }));

    assert.deepEqual(result, { content: [] });
  });

  test('HOST-22 questions that come together are asked together', async () => {
    const questions = createStatelessQuestions();

    const asked = await questions.begin(OWNER, requestWith(), async (ask, signal) => {
      const [city, name] = await Promise.all([elicit(ask, 'city?', signal), elicit(ask, 'name?', signal)]);
      return { city: city?.value ?? null, name: name?.value ?? null };
    });
    const result = await questions.resume(OWNER, repeat(asked, { q2: { value: 'Eva' }, q1: { value: 'Brno' } }));

    assert.equal(asked.resultType, 'input_required');
    assert.deepEqual(asked.inputRequests, {
      q1: { method: 'elicitation/create', params: { message: 'city?' } },
      q2: { method: 'elicitation/create', params: { message: 'name?' } },
    });
    assert.deepEqual(result, { city: 'Brno', name: 'Eva' });
  });

  test('HOST-22 a server may ask several times, and a missing answer is asked for again', async () => {
    const questions = createStatelessQuestions();
    const first = await questions.begin(OWNER, requestWith(), async (ask, signal) => {
      const one = await elicit(ask, 'one?', signal);
      const two = await elicit(ask, 'two?', signal);
      return { answers: [one.value ?? null, two.value ?? null] };
    });

    const again = await questions.resume(OWNER, repeat(first, { other: {}, q1: 'no object' }));
    const second = await questions.resume(OWNER, repeat(again, { q1: { value: 1 } }));
    const result = await questions.resume(OWNER, repeat(second, { q2: { value: 2 } }));

    assert.deepEqual(again.inputRequests, first.inputRequests);
    assert.deepEqual(Object.keys(second.inputRequests as JsonObject), ['q2']);
    assert.deepEqual(result, { answers: [1, 2] });
  });

  test('HOST-22 each state is valid once, for its principal and entry', async () => {
    const questions = createStatelessQuestions();
    const asked = await questions.begin(OWNER, requestWith(), async (ask, signal) => elicit(ask, '?', signal));

    await assert.rejects(questions.resume('another github tools/call create', repeat(asked, { q1: {} })), {
      code: 'NOT_FOUND',
    });
    await assert.rejects(questions.resume(OWNER, repeat({ requestState: 'made up' }, {})), { code: 'NOT_FOUND' });
    const result = await questions.resume(OWNER, repeat(asked, { q1: { value: 1 } }));
    await assert.rejects(questions.resume(OWNER, repeat(asked, { q1: { value: 2 } })), { code: 'NOT_FOUND' });

    assert.deepEqual(result, { value: 1 });
  });

  test('HOST-22 a client that does not answer: the request is given up', async (context) => {
    context.mock.timers.enable({ apis: ['setTimeout'] });
    const questions = createStatelessQuestions({ expiryMs: 1_000 });
    let given: AbortSignal | undefined;
    const asked = await questions.begin(OWNER, requestWith(), async (ask, signal) => {
      given = signal;
      return elicit(ask, '?', signal);
    });

    context.mock.timers.tick(1_000);

    assert.ok(given?.reason instanceof AppError);
    await assert.rejects(questions.resume(OWNER, repeat(asked, { q1: {} })), { code: 'NOT_FOUND' });
  });

  test('HOST-22 over the limit, the oldest request is given up', async () => {
    const questions = createStatelessQuestions({ maxParked: 1 });
    const open = () => questions.begin(OWNER, requestWith(), async (ask, signal) => elicit(ask, '?', signal));

    const oldest = await open();
    const newest = await open();

    await assert.rejects(questions.resume(OWNER, repeat(oldest, { q1: {} })), { code: 'NOT_FOUND' });
    assert.deepEqual(await questions.resume(OWNER, repeat(newest, { q1: { value: 1 } })), { value: 1 });
  });

  test('HOST-22 a client that cancels gives the request up, before and after a question', async () => {
    const questions = createStatelessQuestions();
    const untilAborted = (signal: AbortSignal) =>
      new Promise<JsonObject>((_, reject) => {
        if (signal.aborted) reject(signal.reason);
        signal.addEventListener('abort', () => reject(signal.reason));
      });
    const before = new AbortController();
    const afterwards = new AbortController();
    const asked = await questions.begin(OWNER, requestWith(), async (ask, signal) => {
      await elicit(ask, '?', signal);
      return untilAborted(signal);
    });
    const first = questions.begin(OWNER, requestWith({ signal: before.signal }), async (_, signal) =>
      untilAborted(signal),
    );
    const second = questions.resume(OWNER, repeat(asked, { q1: {} }, afterwards.signal));

    before.abort(new Error('cancelled before'));
    afterwards.abort(new Error('cancelled afterwards'));

    const outcomes = await Promise.allSettled([first, second]);
    assert.deepEqual(
      outcomes.map((outcome) => outcome.status === 'rejected' && outcome.reason.message),
      ['cancelled before', 'cancelled afterwards'],
    );
  });

  test('HOST-22 a question that the server withdraws is not waited for', async () => {
    const questions = createStatelessQuestions();
    const withdrawn = new AbortController();
    const asked = await questions.begin(OWNER, requestWith(), async (ask) => {
      await elicit(ask, '?', withdrawn.signal).catch(() => {});
      return { done: true };
    });

    withdrawn.abort();
    const result = await questions.resume(OWNER, repeat(asked, {}));

    assert.deepEqual(result, { done: true });
  });
});
