import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Long, type tl } from '@mtcute/core';
import { findInputPeer } from './input-peer.ts';

const photo = { _: 'chatPhotoEmpty' } as const;
const user: tl.RawUser = { _: 'user', id: 7, accessHash: Long.fromNumber(1), firstName: 'Ann' };
const channel: tl.RawChannel = { _: 'channel', id: 7, accessHash: Long.fromNumber(2), title: 'News', date: 0, photo };

function partsWith(users: tl.TypeUser[], chats: tl.TypeChat[], stored: tl.TypeInputPeer | null = null) {
  return {
    known: {
      users: new Map(users.map((each) => [each.id, each])),
      chats: new Map(chats.map((each) => [each.id, each])),
    },
    storage: { peers: { getById: async () => stored } },
  };
}

describe('how a chat is named to Telegram', () => {
  test('a user and a supergroup of the same number are two', async () => {
    const parts = partsWith([user], [channel]);

    assert.partialDeepStrictEqual(await findInputPeer(parts, '7'), { _: 'inputPeerUser', userId: 7 });
    assert.partialDeepStrictEqual(await findInputPeer(parts, '-1000000000007'), {
      _: 'inputPeerChannel',
      channelId: 7,
    });
    assert.equal(await findInputPeer(parts, '-7'), undefined);
  });

  test('another chat that the library finds under the number is not used', async () => {
    const stored = { _: 'inputPeerChannel', channelId: 7, accessHash: Long.ONE } as const;

    assert.equal(await findInputPeer(partsWith([], [], stored), '7'), undefined);
    assert.deepEqual(await findInputPeer(partsWith([], [], stored), '-1000000000007'), stored);
  });

  test('an abridged user without a usable hash is left to the library', async () => {
    const stored = { _: 'inputPeerUser', userId: 7, accessHash: Long.ONE } as const;

    assert.deepEqual(await findInputPeer(partsWith([{ ...user, min: true }], [], stored), '7'), stored);
  });

  test('what is no id is no chat', async () => {
    for (const id of ['', 'x', '@ann', '1e3', '99999999999999999']) {
      assert.equal(await findInputPeer(partsWith([user], [channel]), id), undefined);
    }
  });
});
