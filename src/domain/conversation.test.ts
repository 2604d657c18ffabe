import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  type Conversation,
  type ConversationCommand,
  decide,
  evolve,
  follow,
  type NewMessage,
} from './conversation.ts';
import { type ToolCall, textBlock } from './conversation-message.ts';
import type { ConversationId } from './ids.ts';

const create = {
  kind: 'create',
  id: 'c1' as ConversationId,
  owner: 'local',
  identity: 'local',
  answersTo: 'local',
  isOwners: true,
  model: 'claude-opus-5-5',
  system: 'Be brief.',
  settings: { maxTokens: 100 },
  tools: ['*'],
  autoApprove: [],
  budget: { tokens: 1_000 },
  at: 1,
} as const satisfies ConversationCommand;

const call: ToolCall = { id: 'toolu_1', tool: 'send_message', input: { text: 'hi' } };
const other: ToolCall = { ...call, id: 'toolu_2' };

function said(text: string, more: Partial<NewMessage> = {}): NewMessage {
  return { id: text, role: 'user', content: [textBlock(text)], at: 2, state: 'complete', ...more };
}

function after(...commands: readonly ConversationCommand[]): Conversation {
  const all: readonly ConversationCommand[] = [create, ...commands];
  const last = all.reduce<Conversation | undefined>(
    (before, command) => follow(before, command).conversation,
    undefined,
  );
  assert(last);
  return last;
}

const begin: ConversationCommand = { kind: 'begin-turn', message: said('Hello'), at: 2 };
const reply: ConversationCommand = {
  kind: 'reply',
  message: said('Hi', { role: 'assistant', usage: { input: 10, output: 5, cacheRead: 0, cacheWrite: 0 } }),
  awaited: [],
  cost: 0.5,
  at: 3,
};
const asking: ConversationCommand = { ...reply, awaited: [call, other] };
const archive: ConversationCommand = { kind: 'archive', at: 5 };
const close: ConversationCommand = { kind: 'close', at: 6 };

describe('CORE-05 a conversation', () => {
  test('is created with its system prompt, model and settings', () => {
    const events = decide(undefined, create);

    assert.deepEqual(
      events.map(({ type }) => type),
      ['ConversationCreated'],
    );
    assert.partialDeepStrictEqual(after(), {
      status: 'active',
      turn: { state: 'idle' },
      messageCount: 0,
      system: 'Be brief.',
      model: 'claude-opus-5-5',
      settings: { maxTokens: 100 },
      version: 1,
    });
    assert.throws(() => decide(after(), create), { code: 'CONFLICT' });
  });

  test('counts its messages, and takes its title from the first one', () => {
    const { conversation, events } = follow(after(), {
      kind: 'begin-turn',
      message: said(`${'long '.repeat(40)}\nmore`),
      at: 2,
    });

    assert.deepEqual(
      events.map(({ type }) => type),
      ['ConversationUpdated', 'TurnStarted', 'MessageAdded'],
    );
    assert.deepEqual([conversation.messageCount, conversation.turn.state], [1, 'running']);
    assert.match(conversation.title ?? '', /^(?:long ){15}long…$/);
    assert.equal(conversation.version, 4);
  });

  test('adds up tokens and costs of the answers', () => {
    const conversation = after(
      begin,
      reply,
      { kind: 'end-turn', outcome: 'done', at: 4 },
      { ...begin, message: said('b') },
      reply,
    );

    assert.deepEqual(conversation.usage, { input: 20, output: 10, cacheRead: 0, cacheWrite: 0 });
    assert.equal(conversation.cost, 1);
  });

  test('is archived and restored, and closed for good', () => {
    const archived = after(archive);
    const restored = after(archive, { kind: 'restore', at: 6 });
    const closed = after(archive, close);

    assert.deepEqual([archived.status, restored.status, closed.status], ['archived', 'active', 'closed']);
    assert.throws(() => decide(archived, begin), { code: 'CONFLICT', message: 'The conversation is archived.' });
    for (const command of [
      begin,
      archive,
      { kind: 'restore', at: 7 },
      { kind: 'update', changes: { title: 'x' }, at: 7 },
    ] as const) {
      assert.throws(() => decide(closed, command), { code: 'CONFLICT', message: 'The conversation is closed.' });
    }
    assert.deepEqual(
      [decide(archived, archive), decide(closed, close), decide(restored, { kind: 'restore', at: 8 })],
      [[], [], []],
    );
  });

  test('is changed from its next turn on', () => {
    const conversation = after({ kind: 'update', changes: { model: 'claude-haiku-5-5', tools: [] }, at: 9 });

    assert.partialDeepStrictEqual(conversation, {
      model: 'claude-haiku-5-5',
      tools: [],
      system: 'Be brief.',
      changedAt: 9,
    });
    assert.deepEqual(decide(conversation, { kind: 'update', changes: {}, at: 10 }), []);
  });

  test('that does not exist is reported', () => {
    assert.throws(() => decide(undefined, begin), { code: 'NOT_FOUND', field: 'conversation_id' });
    assert.throws(() => evolve(undefined, { type: 'TurnStarted', at: 1 }), /before ConversationCreated/);
  });
});

describe('a turn', () => {
  test('is the only one of its conversation', () => {
    const running = after(begin);

    for (const command of [begin, archive, close, { kind: 'retry-turn', at: 3 }] as const) {
      assert.throws(() => decide(running, command), { code: 'BUSY' });
    }
  });

  test('waits until a person has decided on every call', () => {
    const waiting = after(begin, asking);
    const approve = { kind: 'decide-call', call: call.id, decision: 'approved', by: 'owner', at: 4 } as const;
    const half = after(begin, asking, approve);
    const whole = after(begin, asking, approve, { ...approve, call: other.id, decision: 'denied', reason: 'Not now' });

    assert.deepEqual(
      [waiting.turn.state, half.turn.state, whole.turn.state],
      ['awaiting_approval', 'awaiting_approval', 'running'],
    );
    assert.partialDeepStrictEqual(whole.turn, {
      decided: [
        { id: 'toolu_1', decision: 'approved', decidedBy: 'owner' },
        { id: 'toolu_2', decision: 'denied', reason: 'Not now' },
      ],
    });
    assert.throws(() => decide(half, approve), { code: 'CONFLICT', field: 'call_id' });
    assert.throws(() => decide(half, { ...approve, call: 'toolu_9' }), { code: 'NOT_FOUND', field: 'call_id' });
    assert.throws(() => decide(waiting, begin), { code: 'CONFLICT' });
  });

  test('forgets decisions with the next message, so that they hold for one answer', () => {
    const decided = after(
      begin,
      { ...asking, awaited: [call] },
      { kind: 'decide-call', call: call.id, decision: 'approved', by: 'owner', at: 4 },
      { kind: 'add-message', message: said('results'), at: 5 },
    );

    assert.deepEqual(decided.turn, { state: 'running' });
  });

  test('ends, fails, or is begun again after a failure', () => {
    const failed = after(begin, { kind: 'fail-turn', code: 'BUSY', reason: 'Overloaded.', at: 3 });
    const again = follow(failed, { kind: 'retry-turn', at: 4 }).conversation;
    const cancelled = follow(again, { kind: 'end-turn', outcome: 'cancelled', at: 5 }).conversation;

    assert.deepEqual(failed.turn, { state: 'failed', code: 'BUSY', reason: 'Overloaded.' });
    assert.deepEqual([again.turn.state, again.messageCount], ['running', 1]);
    assert.deepEqual(cancelled.turn, { state: 'idle', outcome: 'cancelled' });
    assert.deepEqual(decide(cancelled, { kind: 'end-turn', outcome: 'done', at: 6 }), []);
    assert.deepEqual(decide(cancelled, { kind: 'fail-turn', code: 'BUSY', reason: '', at: 6 }), []);
  });

  test('that waits ends when its conversation is closed', () => {
    assert.deepEqual(after(begin, asking, close).turn, { state: 'idle' });
  });
});
