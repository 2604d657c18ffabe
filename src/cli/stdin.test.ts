import assert from 'node:assert/strict';
import { PassThrough, Readable } from 'node:stream';
import { describe, test } from 'node:test';
import type { Command, FieldType } from './command.ts';
import { mcpCommand } from './mcp-command.ts';
import { readFromStdin, readPipe } from './stdin.ts';

function read(type: FieldType, ...chunks: (string | Buffer)[]): Promise<unknown> {
  const field = { place: ['body'], names: ['body'], type, required: true } as const;
  return readFromStdin(mcpCommand, field, Readable.from(chunks.map((chunk) => Buffer.from(chunk))));
}

const text: FieldType = { kind: 'text' };

describe('standard input', () => {
  test('text is read unchanged except for one trailing newline', async () => {
    const texts = await Promise.all([read(text, 'a\n\n'), read(text, 'a\r\n'), read(text), read(text, ' a ')]);

    assert.deepEqual(texts, ['a\n', 'a', '', ' a ']);
  });

  test('characters that are split between two chunks are joined', async () => {
    const bytes = Buffer.from('日本');

    assert.equal(await read(text, bytes.subarray(0, 2), bytes.subarray(2)), '日本');
  });

  test('a list has an item on each line', async () => {
    const items = await read({ kind: 'list', of: { kind: 'json', orText: false } }, '{"a":1}\n\n', '{"a":2}\r\n');

    assert.deepEqual(items, [{ a: 1 }, { a: 2 }]);
  });

  test('an invalid line is reported with its number', async () => {
    const items = read({ kind: 'list', of: { kind: 'json', orText: false } }, '{"a":1}\n{"a":\n');

    await assert.rejects(items, { code: 'VALIDATION_ERROR', field: 'body', message: /takes JSON.*line 2/ });
  });

  test('bytes that are not UTF-8 are refused', async () => {
    await assert.rejects(read(text, Buffer.from([0xff, 0xfe])), { message: /not UTF-8/ });
  });

  test('input beyond the limit is refused and the rest is not read', async () => {
    let chunks = 0;
    const endless = new Readable({
      read() {
        chunks++;
        this.push(Buffer.alloc(1024 * 1024));
      },
    });
    const field = { place: ['body'], names: ['body'], type: text, required: true } as const;

    await assert.rejects(readFromStdin(mcpCommand, field, endless), { code: 'TOO_LARGE' });

    assert(chunks < 10);
    assert.equal(endless.destroyed, true);
  });
});

describe('what is piped into a command that takes it unasked', () => {
  const field = { place: ['input'], names: ['input'], type: text, required: false } as const;
  const command: Command = { ...mcpCommand, signature: () => ({ fields: [field], positionals: [], stdin: field }) };

  test('is read unchanged, unless it is empty, the field is given, or a terminal is there', async () => {
    const piped = (chunk: string, input = {}) => readPipe(command, input, Readable.from([Buffer.from(chunk)]));
    const terminal = Object.assign(new PassThrough(), { isTTY: true });

    assert.deepEqual(await piped(' a\n'), { input: ' a\n' });
    assert.deepEqual(await piped('\n'), {});
    assert.deepEqual(await piped('a', { input: 'b' }), {});
    assert.deepEqual(await readPipe(command, {}, terminal), {});
    assert.deepEqual(await readPipe(command, {}, Readable.from([])), {});
  });

  test('is not waited for where standard input stays open and silent', async (context) => {
    context.mock.timers.enable({ apis: ['setTimeout'] });

    const reading = readPipe(command, {}, new PassThrough());
    context.mock.timers.tick(3_000);

    assert.deepEqual(await reading, {});
  });
});
