import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { fakeResponse } from '../../tests/support/http/fake-response.ts';
import { createEventStream, parseEventId } from './event-stream.ts';

describe('a stream of events', () => {
  test('writes each message with an id to the attached response', () => {
    const { stream, response, sent, text } = attached();

    stream.push('{"a":1}');

    assert.equal(sent.status, 200);
    assert.partialDeepStrictEqual(sent.headers, { 'content-type': 'text/event-stream', 'mcp-session-id': 'x' });
    assert.equal(text(), 'event: message\nid: s1-1\ndata: {"a":1}\n\n');
    assert.equal(response.writableEnded, false);
  });

  test('keeps messages while no response is attached, and writes them to the next one', () => {
    const stream = createEventStream('s1');
    stream.push('1');
    stream.push('2');
    const { response, text } = fakeResponse();

    stream.attach(response, {});

    assert.deepEqual(numbersIn(text()), [1, 2]);
  });

  test('resumes after the event that the client received last', async () => {
    const { stream, response } = attached();
    for (const json of ['1', '2', '3']) stream.push(json);
    response.destroy();
    await once(response, 'close');
    stream.push('4');
    const back = fakeResponse();

    stream.attach(back.response, {}, 2);
    stream.push('5');

    assert.deepEqual(numbersIn(back.text()), [3, 4, 5]);
  });

  test('does not repeat sent messages to a client that names no event', async () => {
    const { stream, response } = attached();
    stream.push('1');
    response.destroy();
    await once(response, 'close');
    stream.push('2');
    const back = fakeResponse();

    stream.attach(back.response, {});

    assert.deepEqual(numbersIn(back.text()), [2]);
  });

  test('has one client: a second one ends the first', () => {
    const { stream, response, text } = attached();
    const second = fakeResponse();

    stream.attach(second.response, {});
    stream.push('1');

    assert.equal(response.writableEnded, true);
    assert.equal(text(), '');
    assert.deepEqual(numbersIn(second.text()), [1]);
    assert.equal(stream.attached, true);
  });

  test('retains a limited number of messages', () => {
    const stream = createEventStream('s1');
    for (let number = 1; number <= 1_000; number += 1) stream.push(String(number));
    const { response, text } = fakeResponse();

    stream.attach(response, {}, 0);

    const numbers = numbersIn(text());
    assert.equal(numbers.length, 200);
    assert.equal(numbers.at(-1), 1_000);
  });

  test('that has ended sends what was missed, and ends the response', () => {
    const stream = createEventStream('s1');
    stream.push('1');
    stream.end();
    const { response, text } = fakeResponse();

    stream.attach(response, {}, 0);

    assert.deepEqual(numbersIn(text()), [1]);
    assert.equal(response.writableEnded, true);
    assert.equal(stream.attached, false);
  });

  test('releases a client that disconnects, and writes nothing to it afterwards', async () => {
    const { stream, response } = attached();

    response.destroy();
    await once(response, 'close');
    stream.push('1');

    assert.equal(stream.attached, false);
  });

  test('is not attached to a client that has already disconnected', async () => {
    const stream = createEventStream('s1');
    const { response } = fakeResponse();
    response.destroy();
    await once(response, 'close');

    stream.attach(response, {});

    assert.equal(stream.attached, false);
  });

  test('disconnects a client that does not read, instead of buffering without limit', () => {
    const { stream, response } = attached();
    const megabyte = JSON.stringify('x'.repeat(1024 * 1024));

    for (let count = 0; count < 40; count += 1) stream.push(megabyte);

    assert.equal(response.destroyed, true);
    assert.equal(stream.attached, false);
  });

  test('sends keep-alive comments on an idle connection', (context) => {
    context.mock.timers.enable({ apis: ['setInterval'] });
    const { stream, text } = attached();

    context.mock.timers.tick(15_000);
    const kept = text();
    stream.end();
    context.mock.timers.tick(60_000);

    assert.equal(kept, ': keep-alive\n\n');
    assert.equal(text(), '');
  });
});

describe('the id of an event', () => {
  test('names the stream and the number', () => {
    assert.deepEqual(parseEventId('s1-17'), { stream: 's1', seen: 17 });
    assert.deepEqual(parseEventId('a-b-3'), { stream: 'a-b', seen: 3 });
  });

  test('that is not ours is undefined', () => {
    for (const id of ['', '-', '-5', 's1', 's1-x', 's1-1.5', 's1-1e400', 's1-', 's1--', 's1- 1', 's1-0x10']) {
      assert.equal(parseEventId(id), undefined, id);
    }
  });

  test('can be parsed from any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const parsed = parseEventId(text);

        assert.ok(parsed === undefined || (Number.isSafeInteger(parsed.seen) && parsed.seen >= 0));
      }),
    );
  });
});

function attached() {
  const stream = createEventStream('s1');
  const { response, sent, text } = fakeResponse();
  stream.attach(response, { 'mcp-session-id': 'x' });
  return { stream, response, sent, text };
}

function numbersIn(text: string): number[] {
  return [...text.matchAll(/^data: (.*)$/gm)].map(([, json]) => Number(json));
}
