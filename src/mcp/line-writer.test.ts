import assert from 'node:assert/strict';
import { once } from 'node:events';
import { PassThrough, Writable } from 'node:stream';
import { describe, mock, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { createLineWriter } from './line-writer.ts';

describe('writing lines', () => {
  test('writes each message on its own line, in order, and all messages of one turn together', async () => {
    const { writer, chunks } = collecting();

    await Promise.all([writer.write({ a: 'x\ny\u2028z' }), writer.write([1])]);
    await writer.flushed();

    assert.deepEqual(chunks.filter(Boolean), ['{"a":"x\\ny\\u2028z"}\n[1]\n']);
  });

  test('sends a line that is not a message together with the message before it', async () => {
    const { writer, chunks } = collecting();

    await writer.write({ told: 1 });
    writer.add('heard 1\n');
    await turn();
    writer.add('heard 2\n');
    await turn();

    assert.deepEqual(chunks, ['{"told":1}\nheard 1\n', 'heard 2\n']);
  });

  test('resolves immediately while the client keeps up, and otherwise when it has read', async () => {
    const { output, writer, read } = backedUp();
    await writer.write('x'.repeat(100));
    await turn();
    let resumed = false;

    const waiting = writer.write('next').then(() => {
      resumed = true;
    });
    await turn();
    const resumedEarly = resumed;
    read();
    await waiting;

    assert.equal(resumedEarly, false);
    assert.equal(output.listenerCount('drain'), 1);
  });

  test('adds no listeners however many turns the client does not read', async () => {
    const { output, writer, read } = backedUp();
    const before = ['drain', 'error', 'close'].map((event) => output.listenerCount(event));
    const written: Promise<void>[] = [];

    for (let count = 0; count < 20; count += 1) {
      written.push(writer.write('x'.repeat(100)));
      await turn();
    }
    const during = ['drain', 'error', 'close'].map((event) => output.listenerCount(event));
    read();
    await Promise.all(written);

    assert.deepEqual(during, before);
  });

  test('keeps the order however slowly the client reads', async () => {
    const { output, writer } = backedUp();
    const numbers = Array.from({ length: 200 }, (_, index) => index);
    let text = '';
    output.on('data', (chunk) => {
      text += chunk;
    });

    for (const number of numbers) {
      void writer.write(number);
      if (number % 7 === 0) await turn();
    }
    await writer.flushed();

    assert.deepEqual(text.trim().split('\n').map(Number), numbers);
  });
});

describe('the delivery callback of a message', () => {
  test('is called with true when it was written', async () => {
    const { writer } = backedUp();
    const told: boolean[] = [];

    await writer.write('one');
    await writer.write('two', (delivered) => told.push(delivered));
    const early = told.length;
    await writer.flushed();

    assert.deepEqual([early, told], [0, [true]]);
  });

  test('is called with false when the client has disconnected', async () => {
    const output = new Writable({ write: (_, __, done) => done(new Error('EPIPE')) });
    const writer = createLineWriter(output, () => {});
    const told: boolean[] = [];

    await writer.write('one', (delivered) => told.push(delivered));
    await turn();
    await writer.write('two', (delivered) => told.push(delivered));
    await turn();

    assert.deepEqual(told, [false, false]);
  });
});

describe('an output that is lost', () => {
  test('is reported once, and ends the wait of all writers', async () => {
    const { output, writer, onLost } = backedUp();
    await writer.write('x'.repeat(100));
    await turn();
    const waiting = writer.write('more');

    output.destroy(new Error('EPIPE'));
    await waiting;
    await writer.write('even more');
    await writer.flushed();

    assert.equal(onLost.mock.callCount(), 1);
  });

  test('by closing without an error ends the wait too', async () => {
    const { output, writer, onLost } = backedUp();
    await writer.write('x'.repeat(100));
    await turn();
    const waiting = writer.write('more');

    output.destroy();
    await waiting;
    await writer.write('even more');
    await writer.flushed();

    assert.equal(onLost.mock.callCount(), 1);
  });

  test('before anything was written resolves all waits', async () => {
    const output = new PassThrough();
    output.destroy();
    await once(output, 'close');
    const writer = createLineWriter(output, () => {});

    await writer.write('x'.repeat(100_000));
    await turn();
    await writer.write('more');
    await writer.flushed();
  });
});

test('a message that cannot be serialized does not affect the others', async () => {
  const output = new PassThrough();
  const writer = createLineWriter(output, () => {});
  const circular: { self?: unknown } = {};
  circular.self = circular;

  await assert.rejects(writer.write(circular), TypeError);
  await writer.write('fine');
  await writer.flushed();

  assert.equal(String(output.read()), '"fine"\n');
});

/** A client that reads nothing until `read` is called. */
function backedUp() {
  const output = new PassThrough({ highWaterMark: 16 });
  const onLost = mock.fn();
  return { output, onLost, writer: createLineWriter(output, onLost), read: () => void output.resume() };
}

/** A writer, and what it has written, call by call. */
function collecting() {
  const chunks: string[] = [];
  const output = new Writable({
    write(chunk, _, done) {
      chunks.push(String(chunk));
      done();
    },
  });
  return { writer: createLineWriter(output, () => {}), chunks };
}
