import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { describe, test } from 'node:test';
import { createDialog } from './dialog.ts';
import { createOutput, type Stdin } from './terminal.ts';

const USER = { text: 'User:', secret: false, isAnswered: true, next: () => ({}) };
const PASSWORD = { text: 'Password:', secret: true, isAnswered: true, next: () => ({}) };
const CODE = { text: 'Scan this: abc', secret: false, isAnswered: false, next: () => ({}) };

describe('a prompt of a command', () => {
  test('is answered by the lines of standard input, and not shown', async () => {
    const { dialog, stdin, shown } = talking();
    stdin.end('ann\n s3cret \n');

    const answers = [await dialog.ask(USER), await dialog.ask(PASSWORD)];
    dialog.close();

    assert.deepEqual(answers, ['ann', ' s3cret ']);
    assert.equal(shown(), '');
  });

  test('that is not answered is an error with the question', async () => {
    const { dialog, stdin } = talking();
    stdin.end('ann\n');
    await dialog.ask(USER);

    await assert.rejects(dialog.ask(PASSWORD), { code: 'INVALID_PARAMETER', hint: 'The question was: Password:' });
  });

  test('is shown on a terminal, where a secret is not echoed', async () => {
    const { dialog, stdin, shown } = talking({ isTTY: true });

    const asked = [dialog.ask(USER)];
    await type(stdin, 'ann\r');
    const user = await asked[0];
    const password = dialog.ask(PASSWORD);
    await type(stdin, 's3crex\u007ft\r');

    assert.deepEqual([user, await password], ['ann', 's3cret']);
    assert.match(shown(), /User: [\s\S]*ann[\s\S]*Password: /);
    assert.doesNotMatch(shown(), /s3c/);
  });

  test('can be interrupted', async () => {
    const { dialog, stdin } = talking({ isTTY: true });

    const asked = dialog.ask(PASSWORD);
    const outcome = assert.rejects(asked, { message: 'Interrupted.' });
    await type(stdin, 's3c\u0003');

    await outcome;
  });

  test('that needs no answer is shown once', async () => {
    const { dialog, shown } = talking();

    assert.deepEqual([await dialog.ask(CODE), await dialog.ask(CODE)], ['', '']);

    assert.equal(shown(), 'Scan this: abc\n');
  });

  test('with a QR code draws it on a terminal, again when it is renewed, and not for programs', async () => {
    const [person, program, file] = [talking({ isTTY: true }), talking({ isTTY: true, json: true }), talking()];
    const renewed = { ...CODE, text: 'Scan this: abd', qrCode: 'abd' };

    for (const { dialog } of [person, program, file]) {
      for (const question of [{ ...CODE, qrCode: 'abc' }, { ...CODE, qrCode: 'abc' }, renewed])
        await dialog.ask(question);
    }

    const codes = person.shown().split(/^Scan this: (.*)$/m);
    assert.deepEqual([codes[0], codes[1], codes[3], codes.length], ['', 'abc', 'abd', 5]);
    assert.match(codes[2] ?? '', /^\n\n(\x1b\[38;5;16;48;5;231m[ █▀▄]{25}\x1b\[0m\n){13}\n$/);
    assert.match(codes[4] ?? '', /[█▀▄]/);
    assert.notEqual(codes[2], codes[4]);
    for (const { shown } of [program, file]) assert.equal(shown(), 'Scan this: abc\nScan this: abd\n');
  });

  test('with a QR code draws it on a terminal that does not know its size', async () => {
    const { dialog, shown } = talking({ isTTY: true, columns: 0 });

    await dialog.ask({ ...CODE, qrCode: 'abc' });

    assert.match(shown(), /[█▀▄]/);
  });

  test('with a QR code that is too wide for the terminal says so', async () => {
    const { dialog, shown } = talking({ isTTY: true, columns: 20 });

    await dialog.ask({ ...CODE, qrCode: 'abc' });

    assert.match(shown(), /^Scan this: abc\nIt does not fit .* make the window wider/);
  });
});

function talking({ json = false, ...terminal }: { isTTY?: boolean; columns?: number; json?: boolean } = {}) {
  const stdin = Object.assign(new PassThrough(), terminal);
  const screen = Object.assign(new PassThrough(), terminal);
  const chunks: string[] = [];
  screen.on('data', (chunk) => chunks.push(String(chunk)));
  const dialog = createDialog({ stdin: () => stdin as Stdin, err: createOutput(screen, {}), json });
  return { dialog, stdin, shown: () => chunks.join('') };
}

/** Once the prompt is shown. */
async function type(stdin: PassThrough, text: string): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 10));
  stdin.write(text);
}
