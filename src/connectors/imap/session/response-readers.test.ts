import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ImapFlow } from 'imapflow';
import { createResponseReaders, type ServerResponse } from './response-readers.ts';

test('an answer that a reader has read is not parsed by the library, and no other one is kept from it', async () => {
  const { client, parsed, receive } = fakeClient();
  const readers = createResponseReaders(client);
  const read: string[] = [];

  await readers.during(
    ({ payload }) => payload.toString().startsWith('* 1 FETCH') && read.push(payload.toString()) > 0,
    async () => {
      await receive('* 1 FETCH (FLAGS ())');
      await receive('* 5 EXISTS');
    },
  );
  await receive('* 1 FETCH (UID 1)');

  assert.deepEqual(read, ['* 1 FETCH (FLAGS ())']);
  assert.deepEqual(parsed, ['* 5 EXISTS', '* 1 FETCH (UID 1)']);
});

test('readers of commands that overlap do not end each other', async () => {
  const { client, parsed, receive } = fakeClient();
  const readers = createResponseReaders(client);
  const first = Promise.withResolvers<void>();
  const ended = readers.during(
    () => false,
    () => first.promise,
  );

  await readers.during(
    () => true,
    async () => {
      first.resolve();
      await ended;
      await receive('* 1 FETCH (FLAGS ())');
    },
  );

  assert.deepEqual(parsed, []);
});

function fakeClient() {
  const parsed: string[] = [];
  const internals = {
    async handleResponse({ payload }: ServerResponse) {
      parsed.push(payload.toString());
      return true;
    },
  };
  const receive = (text: string) => internals.handleResponse({ payload: Buffer.from(text), literals: [] });
  return { client: internals as unknown as ImapFlow, parsed, receive };
}
