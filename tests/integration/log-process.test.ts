import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { describe, test } from 'node:test';

const SRC = new URL('../../src/', import.meta.url).href;

const PRELUDE = `
  import { createRequire } from 'node:module';
  const { createLog } = await import('${SRC}lib/log.ts');
  const { guardStdout } = await import('${SRC}lib/stdout-guard.ts');
  const loaded = (name) => Object.keys(createRequire(import.meta.url).cache).some((file) => file.includes('/node_modules/' + name + '/'));
  const told = async () => { for await (const _ of process.stdin); };
  const tell = (value) => process.stdout.write(JSON.stringify(value));
`;

function start(script: string) {
  return spawn(process.execPath, ['--input-type=module', '--eval', PRELUDE + script], {
    stdio: ['pipe', 'pipe', 'pipe'],
  });
}

async function run(script: string) {
  const child = start(script);
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  return { stdout, stderr, code };
}

describe('CORE-12 the log of a real process', () => {
  test('is written to standard error and never to standard output', async () => {
    const { stdout, stderr, code } = await run(`createLog().info({ component: 'x' }, 'hello');`);

    assert.deepEqual([stdout, code], ['', 0]);
    assert.equal(JSON.parse(stderr).msg, 'hello');
  });

  test('is complete when the process exits immediately or crashes', async () => {
    const exits = await run(`createLog().error({ n: 1 }, 'last words'); process.exit(3);`);
    const dies = await run(`createLog().error({ n: 1 }, 'last words'); throw new Error('x');`);

    const { time: _, ...record } = JSON.parse(exits.stderr);
    assert.deepEqual(record, { level: 'error', service: 'switchboard', n: 1, msg: 'last words' });
    assert.equal(exits.code, 3);
    assert.match(dies.stderr, /^\{"level":"error".*"msg":"last words"\}$/m);
  });

  test('is in order when the process exits after the log library was loaded', async () => {
    const { stderr } = await run(`
      const log = createLog();
      log.info({}, 'one');
      await log.flush();
      for (let n = 0; n < 1000; n++) log.info({ n }, 'many');
      process.exit(0);
    `);

    const numbers = stderr
      .trim()
      .split('\n')
      .slice(1)
      .map((line) => JSON.parse(line).n);
    assert.deepEqual(numbers, [...Array(1000).keys()]);
  });

  test('does not load the log library until the first line is written', async () => {
    const { stdout } = await run(`
      const log = createLog({ level: 'warn' });
      log.info({}, 'not written');
      await log.flush();
      const before = loaded('pino');
      log.warn({}, 'written');
      await log.flush();
      tell([before, loaded('pino')]);
    `);

    assert.equal(stdout, '[false,true]');
  });

  test('is complete when more was written before the library was loaded than a pipe holds', async () => {
    const { stderr } = await run(`
      const log = createLog();
      for (let n = 0; n < 3000; n++) log.info({ n }, 'many');
      process.exit(0);
    `);

    assert.equal(stderr.trim().split('\n').length, 3000);
  });

  test('does not block the process when the pipe is not read', async () => {
    const child = start(`
      const log = createLog();
      for (let n = 0; n < 3000; n++) log.info({ text: 'x'.repeat(4000) }, 'noise');
      await log.flush();
      tell('done');
      process.exit(0);
    `);

    const [stdout, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')]);

    assert.deepEqual([stdout, code], ['"done"', 0]);
  });

  test('reports the number of dropped lines when the pipe is read again', async () => {
    const child = start(`
      const log = createLog();
      await log.flush();
      log.info({}, 'first');
      await log.flush();
      for (let n = 0; n < 3000; n++) log.info({ text: 'x'.repeat(4000) }, 'noise');
      tell('full');
      await told();
    `);
    await once(child.stdout, 'data');

    const reading = text(child.stderr);
    child.stdin.end('go');

    assert.match(
      await reading,
      /\{"level":"warn","msg":"\d+ lines of the log were dropped because nobody read them"\}/,
    );
  });

  test('does not end the process when the reader closes the pipe', async () => {
    const child = start(`
      const log = createLog();
      log.info({}, 'first');
      await log.flush();
      tell('ready');
      await told();
      for (let n = 0; n < 1000; n++) log.info({ text: 'x'.repeat(1000) }, 'noise');
      await log.flush();
      tell('alive');
    `);
    const stdout = text(child.stdout);
    await once(child.stderr, 'data');
    child.stderr.destroy();
    await once(child.stderr, 'close');

    child.stdin.end('go');

    const [code] = await once(child, 'exit');
    assert.deepEqual([await stdout, code], ['"ready""alive"', 0]);
  });
});

describe('standard output', () => {
  test('contains nothing that is written to the console', async () => {
    const { stdout, stderr, code } = await run(`
      guardStdout();
      console.log('log %d', 1);
      console.info('info'); console.debug('debug'); console.warn('warn'); console.error('error');
      console.dir({ dir: 1 }); console.table([{ a: 1 }]); console.trace('trace'); console.assert(false, 'assert');
      console.group('group'); console.log('inside'); console.groupEnd();
      console.count('count'); console.time('t'); console.timeEnd('t'); console.dirxml('xml');
      new console.Console(process.stderr).log('own');
    `);

    assert.deepEqual([stdout, code], ['', 0]);
    for (const word of [
      'log 1',
      'info',
      'debug',
      'warn',
      'error',
      'dir: 1',
      'trace',
      'assert',
      '  inside',
      'count: 1',
      'xml',
      'own',
    ]) {
      assert.ok(stderr.includes(word), word);
    }
  });

  test('receives console output again when the guard is removed', async () => {
    const { stdout } = await run(`
      const undo = guardStdout();
      console.log('hidden');
      undo();
      console.log('shown');
    `);

    assert.equal(stdout, 'shown\n');
  });
});

describe('the start of a process', () => {
  test('without a configuration file does not load the YAML parser', async () => {
    const { stdout } = await run(`
      const { composedConfigModel } = await import('${SRC}compose.ts');
      const { loadConfig } = await import('${SRC}config/load.ts');
      const model = await composedConfigModel();
      const read = (text) => loadConfig({ model, home: '/nowhere', env: {}, readFile: () => text });
      await read(undefined);
      const before = loaded('yaml');
      await read('server: {}');
      tell([before, loaded('yaml')]);
    `);

    assert.equal(stdout, '[false,true]');
  });

  test('that only locates the home loads neither schemas nor parser', async () => {
    const { stdout } = await run(`
      const { homeOf } = await import('${SRC}config/home.ts');
      homeOf(process.env);
      tell([loaded('zod'), loaded('yaml')]);
    `);

    assert.equal(stdout, '[false,false]');
  });
});
