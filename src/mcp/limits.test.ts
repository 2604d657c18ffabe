import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { tokenPrincipal } from '../../tests/support/token-principal.ts';
import { AppError } from '../domain/errors.ts';
import { localPrincipal } from '../domain/principal.ts';
import { createGates, type Limits } from './limits.ts';

const LIMITS: Limits = {
  maxConcurrent: 2,
  maxConcurrentTotal: 3,
  maxConcurrentPerToken: 1,
  requestTimeoutMs: 1_000,
  maxLineBytes: 1_000,
};
const OWNER = localPrincipal();

describe('concurrent requests', () => {
  test('CHAT-33 of one connection are limited, and another is accepted when one is answered', () => {
    const gate = createGates(LIMITS).createGate(OWNER);
    const leave = gate.enter();
    gate.enter();

    assert.throws(() => gate.enter(), busy('2 requests of this connection'));
    leave();
    gate.enter();
    assert.throws(() => gate.enter(), busy('2 requests of this connection'));
  });

  test('CHAT-33 of all connections together are limited too', () => {
    const gates = createGates(LIMITS);
    const [first, second] = [gates.createGate(OWNER), gates.createGate(OWNER)];
    first.enter();
    const leave = first.enter();
    second.enter();

    assert.throws(() => second.enter(), busy('3 requests in all'));
    leave();
    second.enter();
    assert.equal(gates.running(), 3);
  });

  test('of one token are limited over all its connections, and the owner is limited by the total only', () => {
    const gates = createGates(LIMITS);
    const guest = tokenPrincipal('guest', []);
    const leave = gates.createGate(guest).enter();

    assert.throws(() => gates.createGate(guest).enter(), busy('1 requests of this token'));
    gates.createGate(OWNER).enter();
    gates.createGate(OWNER).enter();
    assert.throws(() => gates.createGate(OWNER).enter(), busy('3 requests in all'));
    leave();
    gates.createGate(guest).enter();
  });

  test('are released once, however often release is called', () => {
    const gates = createGates(LIMITS);
    const gate = gates.createGate(OWNER);
    const leave = gate.enter();
    gate.enter();

    leave();
    leave();

    assert.equal(gates.running(), 1);
  });

  test('that were refused are not counted', () => {
    const gates = createGates(LIMITS);
    const gate = gates.createGate(OWNER);
    const leaves = [gate.enter(), gate.enter()];

    for (let attempt = 0; attempt < 10; attempt += 1) assert.throws(() => gate.enter());
    for (const leave of leaves) leave();

    assert.equal(gates.running(), 0);
    assert.doesNotThrow(() => gate.enter());
  });
});

function busy(words: string): (error: unknown) => boolean {
  return (error) => error instanceof AppError && error.code === 'BUSY' && error.message.startsWith(words);
}
