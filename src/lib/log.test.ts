import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { AppError } from '../domain/errors.ts';
import { createLog, LOG_LEVELS, type LogLevel, logLevelOf } from './log.ts';

type Options = NonNullable<Parameters<typeof createLog>[0]>;

function recording(options: Options = {}) {
  const lines: string[] = [];
  const log = createLog({ ...options, write: (line) => lines.push(line) });
  const records = async (): Promise<Record<string, unknown>[]> => {
    await log.flush();
    return lines.map((line) => JSON.parse(line));
  };
  return { log, lines, records };
}

describe('CORE-12 the log', () => {
  test('writes one JSON object per line: level, time, service and message', async () => {
    const { log, lines, records } = recording();

    log.info({ component: 'store', rows: 3 }, 'opened %s 100%');

    const [record] = await records();
    assert.equal(lines.length, 1);
    assert.match(lines[0] ?? '', /^[^\n]*\n$/);
    assert.match(String(record?.time), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    const { time: _, ...rest } = record ?? {};
    assert.deepEqual(rest, {
      level: 'info',
      service: 'switchboard',
      component: 'store',
      rows: 3,
      msg: 'opened %s 100%',
    });
  });

  test('keeps the order and the time of lines that were queued until the library was loaded', async () => {
    const { log, records } = recording();
    const before = new Date().toISOString();

    for (let index = 0; index < 5; index++) log.info({ index }, 'early');
    const after = new Date().toISOString();
    await log.flush();
    log.info({ index: 5 }, 'late');

    const written = await records();
    assert.deepEqual(
      written.map(({ index }) => index),
      [0, 1, 2, 3, 4, 5],
    );
    assert.ok(String(written[4]?.time) >= before && String(written[4]?.time) <= after);
  });

  for (const [index, level] of LOG_LEVELS.entries()) {
    test(`at ${level} writes that level and higher ones`, async () => {
      const { log, records } = recording({ level });

      for (const each of ['trace', 'debug', 'info', 'warn', 'error'] as const) log[each]({}, each);

      assert.deepEqual(
        (await records()).map(({ msg }) => msg),
        LOG_LEVELS.slice(index).filter((each) => each !== 'silent'),
      );
    });
  }

  test('changes its level while it runs, for children too', async () => {
    const { log, records } = recording({ level: 'error' });
    const child = log.child({ component: 'mcp' });
    child.info({}, 'before');

    log.setLevel('debug');
    child.debug({ session: 's' }, 'after');

    assert.deepEqual(
      (await records()).map(({ msg, component, session }) => [msg, component, session]),
      [['after', 'mcp', 's']],
    );
  });

  test('a child’s child has the fields of both, and the fields of the line override them', async () => {
    const { log, records } = recording();

    log.child({ component: 'a', x: 1 }).child({ component: 'b' }).info({ x: 2 }, 'hello');

    const [record] = await records();
    assert.deepEqual([record?.component, record?.x], ['b', 2]);
  });

  test('no line has a duplicate key, for any name of a field', async () => {
    const { log, lines, records } = recording();

    log.info({ level: 'x', time: 'x', msg: 'x', service: 'x' }, 'hello');

    const [record] = await records();
    assert.deepEqual([record?.level, record?.service, record?.msg], ['info', 'switchboard', 'hello']);
    assert.equal(lines[0]?.match(/"msg":/g)?.length, 1);
  });

  test('the levels of MCP map to ours', () => {
    const levels = [
      'debug',
      'info',
      'notice',
      'warning',
      'error',
      'critical',
      'alert',
      'emergency',
      'loud',
      'constructor',
    ];

    const ours = levels.map(logLevelOf);

    const expected: (LogLevel | undefined)[] = ['debug', 'info', 'info', 'warn', 'error', 'error', 'error', 'error'];
    assert.deepEqual(ours, [...expected, undefined, undefined]);
  });
});

describe('errors in the log', () => {
  const failure = new AppError('NETWORK_ERROR', 'The server is away.', { cause: new TypeError('fetch failed') });

  test('have their code and cause, and the stack only at debug level', async () => {
    const { log, records } = recording();

    log.error({ err: failure }, 'failed');
    log.setLevel('debug');
    log.error({ err: failure }, 'failed');

    const [plain, detailed] = (await records()).map(({ err }) => err as Record<string, unknown>);
    assert.deepEqual(plain, {
      type: 'AppError',
      message: 'The server is away.',
      code: 'NETWORK_ERROR',
      cause: { type: 'TypeError', message: 'fetch failed' },
    });
    assert.match(String(detailed?.stack), /at .*log\.test\.ts/);
  });

  test('may be any thrown value', async () => {
    const { log, records } = recording();
    const round: Record<string, unknown> = { big: 10n, when: new Date(0), bytes: new Uint8Array(3), none: undefined };
    round.self = round;
    const bad = {
      get trap(): never {
        throw new Error('trap');
      },
    };

    for (const err of ['text', null, 7, round, bad, Symbol('s'), () => {}]) log.error({ err }, 'failed');

    const errors = (await records()).map(({ err }) => err);
    assert.deepEqual(errors.slice(0, 3), ['text', null, 7]);
    assert.deepEqual(errors[3], {
      big: '10',
      when: '1970-01-01T00:00:00.000Z',
      bytes: '[3 bytes]',
      none: 'undefined',
      self: '[circular]',
    });
    assert.deepEqual(errors.slice(4, 6), ['[unreadable]', 'Symbol(s)']);
  });

  test('a huge field is truncated', async () => {
    const { log, lines } = recording();

    log.info({ text: 'x'.repeat(1_000_000), list: Array(10_000).fill('y'), deep: nested(100) }, 'big');

    await log.flush();
    assert.ok((lines[0] ?? '').length < 20_000);
  });
});

describe('secrets in the log', () => {
  test('CORE-12 fields with sensitive names are redacted at any depth', async () => {
    const { log, records } = recording();
    const request = {
      headers: { Authorization: 'Bearer x', 'x-api-key': 'x', cookie: 'x', accept: '*/*' },
      body: [{ accessToken: 'x', client_secret: 'x', password: 'x', max_tokens: 5, tokens: 7 }],
    };

    log.info({ token: 'x', api_key: 'x', request }, 'called');

    const [record] = await records();
    const hidden = '[redacted]';
    assert.deepEqual([record?.token, record?.api_key], [hidden, hidden]);
    assert.deepEqual(record?.request, {
      headers: { Authorization: hidden, 'x-api-key': hidden, cookie: hidden, accept: '*/*' },
      body: [{ accessToken: hidden, client_secret: hidden, password: hidden, max_tokens: 5, tokens: 7 }],
    });
  });

  test('CORE-12 known secrets are masked in texts, keys, errors and messages, also where a text is truncated', async () => {
    const secret = 'top"secret\\value';
    const mask = (text: string) =>
      text.replaceAll(secret, '***').replaceAll(JSON.stringify(secret).slice(1, -1), '***');
    const { log, lines } = recording({ mask, level: 'debug' });

    log.info({ text: `a ${secret} b`, [secret]: 1, err: new Error(secret), inner: [{ x: secret }] }, `said ${secret}`);
    log.info({ cut: `${'x'.repeat(8185)}${secret}` }, 'cut');

    await log.flush();
    assert.equal(lines.length, 2);
    assert.ok(!lines.join('').includes('top'), lines.join(''));
  });
});

describe('the log as text', () => {
  test('is a line with the time, the level, the component, the message and the fields', async () => {
    const { log, lines } = recording({ format: 'pretty' });

    log.warn({ component: 'store', rows: 3, list: ['a'] }, 'slow');

    await log.flush();
    assert.match(lines.join(''), /^\d\d:\d\d:\d\d\.\d{3} WARN {2}store: slow rows=3 list=\["a"\]\n$/);
  });

  test('shows an error, and its stack below', async () => {
    const { log, lines } = recording({ level: 'debug' });
    log.setFormat('pretty');

    log.error({ err: new AppError('BUSY', 'Too much.') }, 'failed');

    await log.flush();
    assert.match(lines.join(''), /failed err=\{"type":"AppError","message":"Too much\.","code":"BUSY"\}\n {4}at /);
  });

  test('no text can forge a line or control the terminal', async () => {
    const { log, lines } = recording({ format: 'pretty' });

    log.info({ text: 'a\u001b[2J\nERROR forged\u202e' }, 'one\ntwo\u2028');

    await log.flush();
    assert.match(lines.join(''), /INFO {2}one\\ntwo\\u2028 text=a\\x1b\[2J\\nERROR forged\\u202e\n$/);
  });
});

function nested(depth: number): unknown {
  return depth === 0 ? 'deep' : { inner: nested(depth - 1) };
}
