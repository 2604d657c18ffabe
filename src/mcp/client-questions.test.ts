import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { localPrincipal } from '../domain/principal.ts';
import { askingClient, canElicit, toInputRequired } from './client-questions.ts';
import type { Caller, RequestContext } from './registry.ts';

const FORM = { elicitation: { form: {} } };

describe('a client that can ask its user', () => {
  test('declares elicitation, with forms where it names modes', () => {
    assert.deepEqual(
      [{ elicitation: {} }, FORM, { elicitation: { url: {} } }, {}, undefined, { elicitation: true }].map(canElicit),
      [true, true, false, false, false, false],
    );
  });

  test('is asked only where it declared so', () => {
    assert.equal(askingClient(contextWith({}), caller({})), undefined);
    assert.deepEqual(askingClient(contextWith({}), caller(FORM)), {});
  });

  test('shows its user a text that cannot control the screen', () => {
    const { inputRequests } = toInputRequired({ id: 'o1', text: 'one\ntwo\u001b]52;c;x\u0007\u202e' });

    assert.match(JSON.stringify(inputRequests), /"message":"one\\ntwo/);
    assert.doesNotMatch(JSON.stringify(inputRequests), /\\u001b|\\u0007|\u202e/);
  });

  test('approves only with the box ticked, and only what it names', () => {
    const answers = [
      { action: 'accept', content: { approve: true } },
      { action: 'accept', content: { approve: 'true' } },
      { action: 'accept' },
      { action: 'decline' },
      { action: 'anything' },
    ].map((approval) => contextWith({ inputResponses: { approval }, requestState: () => 'o1' }));

    assert.deepEqual(
      answers.map((context) => askingClient(context, caller(FORM))?.answered?.answer),
      ['accept', 'decline', 'decline', 'decline', 'cancel'],
    );
    const unnamed = contextWith({ inputResponses: { approval: { action: 'accept', content: { approve: true } } } });
    assert.deepEqual(askingClient(unnamed, caller(FORM)), {});
  });
});

function caller(capabilities: Record<string, unknown>): Caller {
  return { principal: localPrincipal(), era: 'legacy', clientCapabilities: () => capabilities };
}

function contextWith(more: object): RequestContext {
  return {
    mcpReq: { id: 1, method: 'tools/call', signal: new AbortController().signal, notify: async () => {}, ...more },
  };
}
