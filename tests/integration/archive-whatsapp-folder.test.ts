import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { fileIn, type ReadArchive, readArchive } from '../support/archives/read-archive.ts';
import { zipOf } from '../support/archives/zip.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const folder = temporaryFolder(after);

/** A chat of Android with two messages on these days. */
function chat(name: string, first = '13/06/2024', second = '14/06/2024'): string {
  return `${first}, 10:00 - ${name}: hi\n${second}, 10:01 - Me: IMG-20240613-WA0001.jpg (file attached)\n`;
}

function zipOfChat(name: string, files: Record<string, string> = {}): Buffer {
  const all = { [`WhatsApp Chat with ${name}.txt`]: chat(name), ...files };
  return zipOf(Object.entries(all).map(([each, content]) => ({ name: each, content })));
}

function chatsOf({ messages }: ReadArchive): string[] {
  return [...new Set(messages.map(({ chat: { id } }) => id))];
}

describe('a folder with exports of WhatsApp', () => {
  test('may hold zips, which are read as if they were given alone', async () => {
    fileIn(folder, 'zips/WhatsApp Chat with Alice.zip', zipOfChat('Alice', { 'IMG-20240613-WA0001.jpg': 'x' }));
    fileIn(folder, 'zips/WhatsApp Chat with Bob.zip', zipOfChat('Bob', { 'IMG-20240613-WA0001.jpg': 'xxx' }));
    fileIn(folder, 'zips/WhatsApp Chat - Carl.zip', zipOf([{ name: '_chat.txt', content: chat('Carl') }]));
    fileIn(folder, 'zips/WhatsApp Chat with Dora.txt', chat('Dora'));

    const read = await readArchive('whatsapp', `${folder}/zips`);
    const alone = await readArchive('whatsapp', `${folder}/zips/WhatsApp Chat with Bob.zip`);

    assert.deepEqual(chatsOf(read).sort(), ['Alice', 'Bob', 'Carl', 'Dora']);
    assert.deepEqual(
      read.messages.filter((message) => message.chat.id === 'Bob'),
      alone.messages,
    );
    assert.deepEqual(alone.messages.at(-1)?.attachments?.[0]?.size, 3);
    assert.deepEqual(read.skipped, []);
  });

  test('has chats whose dates are clear from other chats of the same phone', async () => {
    fileIn(folder, 'dates/WhatsApp Chat with Alice.txt', chat('Alice', '03/04/2024', '05/04/2024'));
    fileIn(folder, 'dates/WhatsApp Chat with Bob.txt', chat('Bob'));

    const { messages, skipped } = await readArchive('whatsapp', `${folder}/dates`);

    assert.equal(messages.find(({ sender }) => sender.id === 'Alice')?.at, Date.UTC(2024, 3, 3, 10));
    assert.deepEqual(skipped, []);
  });

  test('is imported without a chat whose dates are not clear', async () => {
    fileIn(folder, 'unclear/WhatsApp Chat with Alice.txt', chat('Alice', '03/04/24', '05/04/24'));
    fileIn(folder, 'unclear/WhatsApp Chat with Bob.txt', chat('Bob'));

    const read = await readArchive('whatsapp', `${folder}/unclear`);

    assert.deepEqual(chatsOf(read), ['Bob']);
    assert.deepEqual(read.skipped, [{ why: 'date_order', where: 'WhatsApp Chat with Alice.txt' }]);
  });

  test('does not have a document that looks like a chat as one, but names it', async () => {
    const files = { 'WhatsApp Chat with Bank.txt': chat('Bank'), 'notes.txt': 'milk' };
    fileIn(folder, 'sent/WhatsApp Chat with Alice.zip', zipOfChat('Alice', files));
    fileIn(folder, 'unpacked/WhatsApp Chat with Alice.txt', chat('Alice'));
    fileIn(folder, 'unpacked/Bob.txt', chat('Bob'));
    const where = 'WhatsApp Chat with Alice.zip/WhatsApp Chat with Bank.txt';

    const sent = await readArchive('whatsapp', `${folder}/sent`);
    const unpacked = await readArchive('whatsapp', `${folder}/unpacked`);

    assert.deepEqual([chatsOf(sent), sent.skipped], [['Alice'], [{ why: 'sent', where }]]);
    assert.deepEqual([chatsOf(unpacked), unpacked.skipped], [['Alice'], [{ why: 'sent', where: 'Bob.txt' }]]);
  });

  test('that is one chat has no zip that was sent in it as another one', async () => {
    const forged = zipOf([{ name: '_chat.txt', content: chat('Bank') }]);
    fileIn(folder, 'iphone/_chat.txt', chat('Alice'));
    fileIn(folder, 'iphone/WhatsApp Chat - Bank.zip', forged);
    fileIn(folder, 'WhatsApp Chat with Bob/WhatsApp Chat with Bob.txt', chat('Bob'));
    fileIn(folder, 'WhatsApp Chat with Bob/Bank.zip', forged);

    const [iphone, android] = [
      await readArchive('whatsapp', `${folder}/iphone`),
      await readArchive('whatsapp', `${folder}/WhatsApp Chat with Bob`),
    ];

    assert.deepEqual([chatsOf(iphone).length, chatsOf(android)], [1, ['Bob']]);
    assert.deepEqual(
      [iphone.skipped, android.skipped],
      [[{ why: 'sent', where: 'WhatsApp Chat - Bank.zip/_chat.txt' }], [{ why: 'sent', where: 'Bank.zip/_chat.txt' }]],
    );
  });

  test('names chats that are packed deeper in it, also if there is nothing else', async () => {
    const chats = { 'WhatsApp Chat with Alice.zip': zipOfChat('Alice') };
    const nested = zipOf(Object.entries(chats).map(([name, content]) => ({ name, content })));
    fileIn(folder, 'deep/old/WhatsApp Chat with Alice.zip', zipOfChat('Alice'));
    fileIn(folder, 'deep/WhatsApp Chat with Bob.txt', chat('Bob'));

    const { skipped } = await readArchive('whatsapp', `${folder}/deep`);

    assert.deepEqual(skipped, [{ why: 'packed', where: 'old/WhatsApp Chat with Alice.zip' }]);
    await assert.rejects(readArchive('whatsapp', fileIn(folder, 'all.zip', nested)), { hint: /Alice\.zip: unpack it/ });
  });
});
