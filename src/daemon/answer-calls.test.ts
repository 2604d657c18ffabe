import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { temporaryFolder } from '../../tests/support/temporary-folder.ts';
import { AppError } from '../domain/errors.ts';
import { answerCalls, type Calls } from './answer-calls.ts';
import { askDaemon } from './ask-daemon.ts';

const folder = temporaryFolder(after);
/** Long enough for what closing a connection has an effect on. */
const LATER_MS = 50;
let sockets = 0;

describe('a call of a command', () => {
  test('is answered, with its progress before', async () => {
    const { command, calling } = await connected();
    const seen: unknown[] = [];

    const answer = askDaemon(command, 'add', { a: 1 }, (...report) => void seen.push(report), never());
    const call = await calling;
    call.progress(1, 2);
    call.answer({ sum: 1 });

    assert.deepEqual(await answer, { sum: 1 });
    assert.deepEqual([call.name, call.input, seen], ['add', { a: 1 }, [[1, 2]]]);
  });

  test('fails with everything that the error says, the words of another server included', async () => {
    const { command, calling } = await connected();
    const words = { hint: 'Try again.', field: 'id', upstream: { stderr_tail: 'out of memory' } };

    const answer = askDaemon(command, 'add', {}, () => {}, never());
    (await calling).fail(new AppError('SERVICE_UNAVAILABLE', 'It ended.', words));

    await assert.rejects(answer, { code: 'SERVICE_UNAVAILABLE', message: 'It ended.', ...words });
  });

  test('is cancelled at once when the command is interrupted, also without any progress', async () => {
    const { command, calling } = await connected();
    const interrupted = new AbortController();

    const answer = askDaemon(command, 'add', {}, () => {}, interrupted.signal);
    const { signal } = await calling;
    interrupted.abort();

    await assert.rejects(answer, { code: 'TIMEOUT', message: 'The call was cancelled.' });
    await aborted(signal);
  });

  test('is cancelled at once when the process of the command has ended', async () => {
    const { command, calling } = await connected();

    const answer = askDaemon(command, 'add', {}, () => {}, never());
    const { signal } = await calling;
    command.destroy();

    await assert.rejects(answer, { code: 'SERVICE_UNAVAILABLE' });
    await aborted(signal);
  });

  test('is not sent for a command that was interrupted before', async () => {
    const { command, calling } = await connected();

    const answer = askDaemon(command, 'add', {}, () => {}, AbortSignal.abort());

    await assert.rejects(answer, { code: 'TIMEOUT' });
    assert.equal(await Promise.race([calling, sleep(LATER_MS)]), undefined);
  });

  test('of an older version, which closes its end at once, is not cancelled by that', async () => {
    const { command, calling } = await connected();
    const answers = once(command, 'data');

    command.end(`${JSON.stringify({ operation: 'add', input: {} })}\n`);
    const { signal, answer } = await calling;
    await sleep(LATER_MS);
    answer({ sum: 3 });

    assert.equal(signal.aborted, false);
    assert.deepEqual(JSON.parse(String(await answers)), { output: { sum: 3 } });
  });

  test('fails when the daemon ends without an answer', async () => {
    const { command, calling, daemon } = await connected();

    const answer = askDaemon(command, 'add', {}, () => {}, never());
    await calling;
    daemon.destroy();

    await assert.rejects(answer, (error: AppError) => /The daemon ended while this ran/.test(error.message));
  });

  test('is over when it is answered: a suspended command does not keep the daemon from ending', async () => {
    const { command, calling, over } = await connected();

    command.pause().write(`${JSON.stringify({ operation: 'add', input: {}, keepsOpen: true })}\n`);
    (await calling).answer({});

    await over;
    assert.equal(command.destroyed, false);
  });
});

interface RunningCall {
  name: string;
  input: unknown;
  signal: AbortSignal;
  progress(done: number, total: number): void;
  answer(output: Record<string, unknown>): void;
  fail(error: AppError): void;
}

/** A command that is connected to a daemon; `calling` is the call that arrives there. */
async function connected() {
  const path = join(folder, `${++sockets}.sock`);
  const arrived = Promise.withResolvers<RunningCall>();
  const calls: Calls = {
    call(name, input, { signal, progress }) {
      const { promise, resolve, reject } = Promise.withResolvers<Record<string, never>>();
      const answer = (output: object) => resolve(output as Record<string, never>);
      arrived.resolve({ name, input, signal, progress, answer, fail: reject });
      return promise;
    },
    follow: async () => {},
  };
  const server = createServer({ allowHalfOpen: true });
  server.listen(path);
  await once(server, 'listening');
  const command = connect({ path, allowHalfOpen: true });
  const [daemon] = (await once(server, 'connection')) as [Socket];
  for (const socket of [command, daemon]) {
    socket.on('error', () => {});
    after(() => void socket.destroy());
  }
  server.close();
  const over = answerCalls(daemon, calls, { signal: never(), handoverMs: () => 0 });
  return { command, daemon, calling: arrived.promise, over };
}

function never(): AbortSignal {
  return new AbortController().signal;
}

async function aborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort', { signal: AbortSignal.timeout(5_000) });
}
