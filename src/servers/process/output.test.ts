import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { manualClock } from '../../../tests/support/manual-clock.ts';
import { createServerOutput, type OutputOptions } from './output.ts';

const SECRET = 'hunter22-hunter22';

function outputOf(options: Partial<OutputOptions> = {}) {
  const clock = manualClock();
  const mask = (text: string) => text.replaceAll(SECRET, '[secret]');
  return { clock, output: createServerOutput({ clock, mask, ...options }) };
}

function texts(output: ReturnType<typeof createServerOutput>): string[] {
  return output.lines().map(({ text }) => text);
}

describe('output of a server', () => {
  test('lines have a number, a time and their stream, whichever way they were cut into chunks', () => {
    const { clock, output } = outputOf();
    const began = clock.now();
    output.write('stderr', Buffer.from('star'));
    output.write('stdout', Buffer.from('noise\r\n'));
    clock.advance(1_000);
    output.write('stderr', Buffer.from('ting\n\nrea'));

    output.end('stderr');
    output.note('The process exited with code 0.');

    assert.deepEqual(output.lines(), [
      { number: 1, at: began, stream: 'stdout', text: 'noise' },
      { number: 2, at: began + 1_000, stream: 'stderr', text: 'starting' },
      { number: 3, at: began + 1_000, stream: 'stderr', text: '' },
      { number: 4, at: began + 1_000, stream: 'stderr', text: 'rea' },
      { number: 5, at: began + 1_000, stream: 'switchboard', text: 'The process exited with code 0.' },
    ]);
  });

  test('the last lines, and lines after a number, can be read', () => {
    const { output } = outputOf();
    output.write('stderr', Buffer.from('a\nb\nc\nd\n'));

    const last = output.lines({ last: 2 }).map(({ text }) => text);
    const after = output.lines({ after: 1 }).map(({ text }) => text);
    const both = output.lines({ after: 1, last: 1 }).map(({ text }) => text);

    assert.deepEqual([last, after, both], [['c', 'd'], ['b', 'c', 'd'], ['d']]);
    assert.deepEqual(output.lines({ after: 4 }), []);
    assert.deepEqual(output.lines({ last: 0 }), []);
  });

  test('the tail is the end of stderr alone', () => {
    const { output } = outputOf();
    output.write('stderr', Buffer.from('first\nsecond\n'));
    output.write('stdout', Buffer.from('noise\n'));
    output.note('ours');

    assert.equal(output.tail(100), 'first\nsecond');
    assert.equal(output.tail(6), 'second');
    assert.equal(output.tail(3), 'ond');
    assert.equal(output.tail(0), '');
  });

  test('colours and invalid UTF-8 are tolerated', () => {
    const { output } = outputOf();

    output.write('stderr', Buffer.from([0x1b, 0x5b, 0x33, 0x31, 0x6d, 0x61, 0xff, 0xc3, 0x0a]));

    assert.deepEqual(texts(output), ['a\ufffd\ufffd']);
  });

  test('the newest lines are kept within the bounds, whatever arrives in whatever chunks', () => {
    const line = fc.string({ unit: 'grapheme-ascii', maxLength: 40 }).map((text) => text.replace(/[\n\r]/g, ''));
    fc.assert(
      fc.property(fc.array(line, { maxLength: 200 }), fc.array(fc.nat(300)), (lines, sizes) => {
        const { output } = outputOf({ maxBytes: 512, maxLines: 20 });

        for (const chunk of chunksOf(Buffer.from(lines.map((each) => `${each}\n`).join('')), sizes)) {
          output.write('stderr', chunk);
        }

        const kept = texts(output);
        assert.ok(kept.length <= 20);
        assert.ok(kept.join('').length <= 512);
        assert.deepEqual(kept, kept.length === 0 ? [] : lines.slice(-kept.length));
        if (kept.length < Math.min(20, lines.length)) {
          assert.ok(lines.slice(-kept.length - 1).join('').length > 512);
        }
      }),
    );
  });

  test('random bytes never exceed the bounds', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 2_000 }), { maxLength: 20 }), (chunks) => {
        const { output } = outputOf({ maxBytes: 1_024, maxLines: 50 });

        for (const chunk of chunks) output.write('stdout', Buffer.from(chunk));
        output.end('stdout');

        assert.ok(output.lines().length <= 50);
        assert.ok(texts(output).join('').length <= 1_024 + 50);
      }),
    );
  });

  test('a line without end is cut, and the next one is kept', () => {
    const { output } = outputOf();
    const block = Buffer.alloc(65_536, 'E');

    for (let count = 0; count < 100; count += 1) output.write('stderr', block);
    const whileItLasts = texts(output);
    output.write('stderr', Buffer.from('E\nnext\n'));

    const [cut = '', next] = texts(output);
    assert.deepEqual(whileItLasts, [cut]);
    assert.match(cut, /^E{1000,8192}…$/);
    assert.equal(next, 'next');
  });
});

describe('secrets in the output of a server', () => {
  test('a secret is masked in lines and in the tail, also if it came in two chunks', () => {
    const { output } = outputOf();
    output.write('stderr', Buffer.from(`token ${SECRET.slice(0, 5)}`));
    output.write('stderr', Buffer.from(`${SECRET.slice(5)} refused\n`));

    assert.deepEqual(texts(output), ['token [secret] refused']);
    assert.equal(output.tail(12), 'ret] refused');
  });

  test('an unfinished line is not shown: it may be a part of a secret', () => {
    const { output } = outputOf();

    output.write('stderr', Buffer.from(`token ${SECRET.slice(0, 5)}`));

    assert.deepEqual(output.lines(), []);
    assert.equal(output.tail(100), '');
  });

  test('a secret that colours are in the middle of is masked', () => {
    const { output } = outputOf();

    output.write('stderr', Buffer.from(`${SECRET.slice(0, 4)}\u001b[0m${SECRET.slice(4)}\n`));

    assert.deepEqual(texts(output), ['[secret]']);
  });

  test('a line that is cut within a secret shows no part of it', () => {
    fc.assert(
      fc.property(fc.nat(9_000), fc.boolean(), (before, isRepeated) => {
        const { output } = outputOf();
        const text = 'x'.repeat(before) + (isRepeated ? SECRET.repeat(1_000) : SECRET + 'x'.repeat(20_000));

        output.write('stderr', Buffer.from(`${text}\n`));

        assert.doesNotMatch(output.tail(100_000), /h|unt/);
      }),
    );
  });
});

describe('listeners', () => {
  test('many lines are one notification, and none follows the last', async (context) => {
    context.mock.timers.enable({ apis: ['setTimeout'] });
    const { output } = outputOf();
    let calls = 0;
    const stop = output.listen(() => {
      calls += 1;
    });

    for (let line = 0; line < 1_000; line += 1) output.write('stderr', Buffer.from(`${line}\n`));
    context.mock.timers.tick(1_000);
    output.note('more');
    context.mock.timers.tick(1_000);
    stop();
    output.note('not heard');
    context.mock.timers.tick(1_000);

    assert.equal(calls, 2);
  });
});

function chunksOf(bytes: Buffer, sizes: readonly number[]): Buffer[] {
  const chunks: Buffer[] = [];
  let from = 0;
  for (const size of sizes) {
    chunks.push(bytes.subarray(from, from + size));
    from += size;
  }
  return [...chunks, bytes.subarray(from)];
}
