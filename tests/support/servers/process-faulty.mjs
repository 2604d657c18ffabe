// An MCP server without a library, which starts quickly and fails as it is told to.
//   node process-faulty.mjs [--dir FOLDER] [--fault hang|flaky|garbage|flood|stubborn|children|mute] [--tools 40]
// In FOLDER it counts its starts (`starts`), writes each call (`calls`) and the pids of its children (`pids`), and reads
// `tools.json`, which replaces its tools. It ends with its input, unless it is stubborn.
import { spawn } from 'node:child_process';
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const option = (name, fallback) => {
  const at = process.argv.indexOf(`--${name}`);
  return at === -1 ? fallback : process.argv[at + 1];
};
const dir = option('dir');
const fault = option('fault', 'none');
const extra = Number(option('tools', '0'));

const note = (file, text) => dir === undefined || appendFileSync(join(dir, file), `${text}\n`);
const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const text = (value) => ({ content: [{ type: 'text', text: value }] });
const NAMES = ['echo', 'env', 'args', 'pid', 'die', 'never', 'sleep', 'big', 'fail', 'refuse', 'changed', 'progress'];

function tools() {
  const path = join(dir ?? '.', 'tools.json');
  if (dir !== undefined && existsSync(path)) return JSON.parse(readFileSync(path, 'utf8'));
  const more = Array.from({ length: extra }, (_, number) => `extra_${number}`);
  return [...NAMES, ...more].map((name) => ({
    name,
    description: `${name} of a test`,
    inputSchema: { type: 'object' },
  }));
}

const CALLS = {
  echo: ({ text: given = '' }) => text(given),
  env: ({ name }) => text(String(process.env[name])),
  args: () => text(JSON.stringify(process.argv.slice(2))),
  pid: () => text(String(process.pid)),
  die({ words = 'out of memory' }) {
    process.stderr.write(`${words}\n`, () => process.kill(process.pid, 'SIGKILL'));
  },
  never() {},
  async sleep({ ms }) {
    await new Promise((resolve) => setTimeout(resolve, ms));
    return text(`slept ${ms}`);
  },
  big: ({ bytes }) => text('x'.repeat(bytes)),
  fail: () => ({ ...text('it did not work'), isError: true }),
  refuse() {
    throw new Error('that is not possible');
  },
  changed() {
    send({ method: 'notifications/tools/list_changed' });
    return text('changed');
  },
  async progress({ times, ms }, meta) {
    for (let step = 1; step <= times; step += 1) {
      await new Promise((resolve) => setTimeout(resolve, ms));
      send({ method: 'notifications/progress', params: { progressToken: meta?.progressToken, progress: step } });
    }
    return text('done');
  },
};

const REQUESTS = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: { listChanged: true } },
    serverInfo: { name: 'faulty', version: '1.0.0' },
  }),
  ping: () => (fault === 'mute' ? undefined : {}),
  'tools/list': () => ({ tools: tools() }),
  async 'tools/call'({ name, arguments: args = {}, _meta }) {
    note('calls', name);
    return CALLS[name] ? CALLS[name](args, _meta) : text(`called ${name}`);
  },
};

async function answer({ id, method, params }) {
  if (id === undefined) return;
  try {
    const handler = REQUESTS[method];
    if (!handler) return send({ id, error: { code: -32601, message: 'Method not found' } });
    const result = await handler(params ?? {});
    if (result) send({ id, result });
  } catch (error) {
    send({ id, error: { code: -32000, message: error.message } });
  }
}

note('starts', process.pid);
const starts = dir === undefined ? 1 : readFileSync(join(dir, 'starts'), 'utf8').trim().split('\n').length;
if (fault === 'flaky' && starts <= 2) {
  process.stderr.write('not yet\n', () => process.exit(1));
} else {
  if (fault === 'garbage') {
    process.stdout.write('Welcome!\n{"not": "a message"}\n{half\n');
    setInterval(() => process.stdout.write('still here\n'), 50);
  }
  if (fault === 'flood') {
    const block = Buffer.alloc(65_536, 'E\n');
    const flood = () => process.stderr.write(block, () => setImmediate(flood));
    flood();
  }
  if (fault === 'stubborn') {
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => {});
    setInterval(() => {}, 60_000);
  }
  if (fault === 'children') {
    const idle = 'setInterval(() => {}, 60_000);';
    const program = `const { spawn } = require('node:child_process'); const { appendFileSync } = require('node:fs');
      const child = spawn(process.execPath, ['-e', '${idle}'], { stdio: 'ignore' });
      appendFileSync(process.argv[1], process.pid + '\\n' + child.pid + '\\n'); ${idle}`;
    spawn(process.execPath, ['-e', program, join(dir, 'pids')], { stdio: 'ignore' });
  }
  const input = createInterface({ input: process.stdin });
  if (fault !== 'hang') input.on('line', (line) => void answer(JSON.parse(line)));
  if (fault !== 'stubborn') input.on('close', () => process.exit(0));
}
