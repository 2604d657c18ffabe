import assert from 'node:assert/strict';
import { Writable } from 'node:stream';
import { describe, test } from 'node:test';
import { bold, createOutput } from './terminal.ts';

function failingWith(code: string): Writable {
  return new Writable({
    write(_chunk, _encoding, done) {
      done(Object.assign(new Error('write failed'), { code }));
    },
  });
}

function sink(more: object = {}): Writable {
  return Object.assign(new Writable({ write: (_chunk, _encoding, done) => done() }), more);
}

describe('an output', () => {
  test('a closed reader is not a failure', async () => {
    const output = createOutput(failingWith('EPIPE'), {});

    await output.write('one\n');
    await output.write('two\n');
  });

  test('a full disk is a failure with our message', async () => {
    const written = createOutput(failingWith('ENOSPC'), {}).write('text');

    await assert.rejects(written, { code: 'SERVICE_UNAVAILABLE', message: 'The output could not be written.' });
  });

  test('a write resolves only when the text was flushed', async () => {
    let release = () => {};
    const slow = new Writable({
      write(_chunk, _encoding, done) {
        release = done;
      },
    });
    let isOver = false;

    const written = createOutput(slow, {})
      .write('text')
      .then(() => {
        isOver = true;
      });
    await new Promise(setImmediate);
    const wasOver = isOver;
    release();
    await written;

    assert.deepEqual([wasOver, isOver], [false, true]);
  });

  test('colour is used on terminals, unless it is disabled', () => {
    const terminal = sink({ isTTY: true, columns: 120 });

    const outputs = [
      createOutput(terminal, {}),
      createOutput(terminal, { NO_COLOR: '1' }),
      createOutput(terminal, { TERM: 'dumb' }),
      createOutput(sink(), {}),
    ];

    assert.deepEqual(
      outputs.map(({ colour, width }) => [colour, width]),
      [
        [true, 120],
        [false, 120],
        [false, 120],
        [false, undefined],
      ],
    );
  });

  test('shows control sequences instead of writing them, but for bold headings where there is colour', async () => {
    const written: string[] = [];
    const stream = (more: object) =>
      Object.assign(new Writable({ write: (chunk, _encoding, done) => done(void written.push(String(chunk))) }), more);
    const text = `${bold('ID')}\tx\x1b]52;c;eA==\x07\n\x1b[2J\u202e\r\n`;

    await createOutput(stream({ isTTY: true }), {}).write(text);
    await createOutput(stream({}), {}).write(text);

    assert.deepEqual(written, [
      '\x1b[1mID\x1b[22m\tx\\x1b]52;c;eA==\\x07\n\\x1b[2J\\u202e\r\n',
      '\\x1b[1mID\\x1b[22m\tx\\x1b]52;c;eA==\\x07\n\\x1b[2J\\u202e\r\n',
    ]);
  });
});
