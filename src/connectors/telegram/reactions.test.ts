import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { tl } from '@mtcute/core';
import type { InboundEvent } from '../../domain/chat.ts';
import { createReactions } from './reactions.ts';

const translation = { self: '1', peers: { users: new Map(), chats: new Map() } };
const team: tl.TypePeer = { _: 'peerChannel', channelId: 5 };
const ann: tl.TypePeer = { _: 'peerUser', userId: 2 };

function listOf(senders: readonly number[], count = senders.length): tl.TypeMessageReactions {
  const reaction = { _: 'reactionEmoji', emoticon: '👍' } as const;
  return {
    _: 'messageReactions',
    results: [{ _: 'reactionCount', reaction, count }],
    recentReactions: senders.map((userId) => ({
      _: 'messagePeerReaction',
      peerId: { _: 'peerUser', userId },
      date: 1,
      reaction,
    })),
  };
}

function shown(events: readonly InboundEvent[]) {
  return events.map((event) => (event.kind === 'reactions' ? `${event.sender.id}:${event.signs.join()}` : event.kind));
}

describe('reactions of Telegram', () => {
  test('a sender that is missing from a whole list has removed theirs', () => {
    const reactions = createReactions();
    const changed = (list: tl.TypeMessageReactions) =>
      shown(reactions.changed({ peer: team, msgId: 7, reactions: list }, translation, 5));

    assert.deepEqual(changed(listOf([2, 3])), ['2:👍', '3:👍']);
    assert.deepEqual(changed(listOf([3])), ['3:👍', '2:']);
    assert.deepEqual(changed(listOf([])), ['3:']);
  });

  test('a list of the latest senders says nothing of the others', () => {
    const reactions = createReactions();
    reactions.changed({ peer: team, msgId: 7, reactions: listOf([2]) }, translation, 5);

    const events = reactions.changed({ peer: team, msgId: 7, reactions: listOf([3, 4], 40) }, translation, 5);

    assert.deepEqual(shown(events), ['3:👍', '4:👍']);
  });

  test('in a direct chat removals are known without the former list', () => {
    const events = createReactions().changed({ peer: ann, msgId: 7, reactions: listOf([]) }, translation, 5);

    assert.deepEqual(shown(events), ['2:', '1:']);
  });

  test('senders of reactions in fetched messages are remembered', () => {
    const reactions = createReactions();
    const about = { chat: '-1000000000005', message: '7', sender: { id: '2', name: 'Ann' }, signs: ['👍'], at: 1 };
    reactions.noted([{ kind: 'reactions', ...about }]);

    const events = reactions.changed({ peer: team, msgId: 7, reactions: listOf([]) }, translation, 5);

    assert.deepEqual(shown(events), ['2:']);
  });
});
