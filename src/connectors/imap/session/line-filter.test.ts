import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createLineFilter } from './line-filter.ts';

const SENT = [
  '* 1 FETCH (FLAGS ())',
  '* 2 FETCH (FLAGS (\\Seen))',
  '* 9 EXISTS',
  '* 3 FETCH (BODY[] {22}\r\n* 4 FETCH (FLAGS ())\r\n)',
  '* 5 FETCH (FLAGS ())',
  'A1 OK done',
].map((answer) => `${answer}\r\n`);

test('lines are read however they arrive, and everything else is left to the library', async () => {
  const bytes = Buffer.from(SENT.join(''));
  const cuts = fc.array(fc.nat({ max: bytes.length }), { maxLength: 12 });

  await fc.assert(
    fc.asyncProperty(cuts, async (places) => {
      const stream = fakeStream();
      const read: string[] = [];
      createLineFilter(stream).add((line) => line.toString().endsWith('))') && read.push(`${line}\r\n`) > 0);

      const bounds = [0, ...places.sort((a, b) => a - b), bytes.length];
      for (const [index, from] of bounds.entries())
        await stream.processInputChunk(bytes.subarray(from, bounds[index + 1]));

      // A line that was cut is an answer like others.
      const all = [...read, ...stream.answers];
      assert.deepEqual(all.toSorted(), SENT.toSorted());
      assert.deepEqual(
        stream.answers,
        SENT.filter((answer) => stream.answers.includes(answer)),
      );
    }),
  );
});

test('without a reader, or after it has ended, nothing is read', async () => {
  const stream = fakeStream();
  const filter = createLineFilter(stream);
  const stop = filter.add(() => true);

  await stream.processInputChunk(Buffer.from('* 1 FETCH (FLAGS ())\r\n'));
  stop();
  await stream.processInputChunk(Buffer.from('* 2 FETCH (FLAGS ())\r\n'));

  assert.deepEqual(stream.answers, ['* 2 FETCH (FLAGS ())\r\n']);
});

/** Cuts answers as the library does: a line that ends with a length goes on after so many bytes. */
function fakeStream() {
  const stream = {
    answers: [] as string[],
    state: 1,
    lineBuffer: [] as Buffer[],
    inputBuffer: [] as Buffer[],
    async processInputChunk(chunk: Buffer): Promise<void> {
      for (const byte of chunk) take(byte);
    },
  };
  let missing = 0;
  let answer = '';

  function take(byte: number): void {
    answer += String.fromCharCode(byte);
    if (stream.state !== 1) {
      missing -= 1;
      if (missing === 0) stream.state = 1;
      return;
    }
    stream.lineBuffer.push(Buffer.of(byte));
    if (byte === 0x0a) endLine();
  }

  function endLine(): void {
    const line = Buffer.concat(stream.lineBuffer);
    const [, length] = /\{(\d+)\}\r\n$/.exec(line.toString()) ?? [];
    stream.lineBuffer = [];
    if (length !== undefined) {
      stream.inputBuffer.push(line);
      missing = Number(length);
      stream.state = 2;
      return;
    }
    stream.answers.push(answer);
    stream.inputBuffer = [];
    answer = '';
  }

  return stream;
}
