import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '../../../src/domain/json.ts';
import type { World } from '../connectors/contract.ts';
import { eventIn } from '../mcp/rpc-message.ts';
import { type Shim, until } from '../mcp/shim-program.ts';

const UPDATED = 'notifications/resources/updated';

/** The names that a network shows. */
interface ShownNames {
  room: string;
  sender: string;
}

/** The result of a tool. */
export async function callTool(shim: Shim, name: string, args: object = {}): Promise<JsonObject> {
  const { result, error } = await shim.call('tools/call', { name, arguments: args });
  assert.ok(result, JSON.stringify(error));
  return (result as { structuredContent: JsonObject }).structuredContent;
}

/** Acceptance rows that every network passes: its source is `work`, and its peer has said something before it was connected. */
export function testReadingRows({ room, sender }: ShownNames, parts: () => { shim: Shim; world: World }): void {
  const find = async (args: object) =>
    (await callTool(parts().shim, 'get_messages', { source: 'work', ...args })).messages as JsonObject[];

  test('CHAT-06 CHAT-12 earlier messages are fetched and found, with their room', async () => {
    await until('the message is stored', async () => (await find({ search: 'before we came' })).length === 1);

    const [found] = await find({ chat: room, search: 'before we came' });

    assert.partialDeepStrictEqual(found, {
      chat_id: parts().world.chats.group,
      chat: room,
      sender,
      content: 'said before we came',
    });
  });

  test('CHAT-30 messages in a room and direct messages reach a subscriber', async () => {
    const { shim, world } = parts();
    await shim.call('resources/subscribe', { uri: 'messages://work/*' });

    await world.peer.say('group', 'to everybody');
    const first = eventIn(await shim.messages.notified(UPDATED));
    await world.peer.say('direct', 'to you alone');
    const second = eventIn(await shim.messages.notified(UPDATED));

    assert.partialDeepStrictEqual(first, { type: 'message.received', source: 'work', content: 'to everybody' });
    assert.partialDeepStrictEqual(second, { chat_id: world.chats.direct, content: 'to you alone' });
    await shim.call('resources/unsubscribe', { uri: 'messages://work/*' });
  });
}
