import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import type { JsonObject } from '../../src/domain/json.ts';
import { type ProtocolEra, startAgent } from '../support/agentmail/clients.ts';
import { createMailWorld, type MailWorld, runAgentmail } from '../support/agentmail/program.ts';
import { removeHome } from '../support/mcp/shim-program.ts';
import { programPath } from '../support/program.ts';
import { startStopwatch, withinLimit } from '../support/stopwatch.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const LIMIT = 65_536;
const DOORS: readonly { name: string; args: readonly string[]; era: ProtocolEra }[] = [
  { name: 'through the daemon, with a session', args: [], era: 'legacy' },
  { name: 'through the daemon, without a session', args: [], era: 'modern' },
  { name: 'in one process, with a session', args: ['--embedded'], era: 'legacy' },
  { name: 'in one process, without a session', args: ['--embedded'], era: 'modern' },
];

for (const { name, args, era } of DOORS) {
  describe(`agentmail mcp ${name}`, { timeout: 300_000 }, () => {
    const folder = temporaryFolder(after);
    const home = join(folder, 'home');
    const world = createMailWorld(after, folder);
    after(() => removeHome(home));
    let count = 0;

    /** Two agents, each in its own window. */
    async function pair(context: { after(end: () => unknown): void }) {
      count += 1;
      const panes = ['one', 'two'].map((each) => ({
        name: `${each}${count}`,
        pane: world.server.addWindow(`${each}${count}`),
      }));
      const [one, two] = await Promise.all(
        panes.map(async ({ name: own, pane }) => {
          const agent = await startAgent(world, { home, pane, era, args });
          context.after(() => agent.shim.stop());
          return { ...agent, own, pane };
        }),
      );
      assert(one && two);
      return [one, two] as const;
    }

    test('AGENT-01 AGENT-02 four tools are listed, each with a description', async (context) => {
      const [one] = await pair(context);

      const { result } = await one.ask('tools/list');

      const tools = (result?.tools ?? []) as { description: string; inputSchema: { type: string } }[];
      assert.deepEqual(namesIn(result), ['list-recipients', 'receive', 'send', 'status']);
      for (const { description, inputSchema } of tools) {
        assert(description.length > 20);
        assert.equal(inputSchema.type, 'object');
      }
    });

    test('AGENT-03 AGENT-04 AGENT-05 AGENT-06 a letter is sent and received once, in the format of the command', async (context) => {
      const [one, two] = await pair(context);

      const sent = await one.tool('send', { recipient: two.own, message: 'first <b>\n日本' });
      await one.tool('send', { recipient: two.own, message: 'second' });
      const first = await two.tool('receive');
      const second = await two.tool('receive');
      const nothing = await two.tool('receive');

      const id = String(sent.content.message_id);
      assert.equal(sent.text, `Message #${id} sent`);
      assert.equal(sent.content.status, 'stored');
      assert.equal(first.text, `From: ${one.own}\nID: ${id}\n\nfirst <b>\n日本`);
      assert.partialDeepStrictEqual(first.content, { id, from: one.own, message: 'first <b>\n日本', remaining: 1 });
      assert.deepEqual(first.beside, ['1 more message is unread.']);
      assert.match(second.text, /\n\nsecond$/);
      assert.deepEqual([nothing.text, nothing.content.status], ['No unread messages', 'No unread messages']);
    });

    test('AGENT-07 an unknown recipient is not found, and an agent cannot write to itself', async (context) => {
      const [one] = await pair(context);

      const unknown = await one.tool('send', { recipient: 'nobody-at-all', message: 'x' });
      const self = await one.tool('send', { recipient: one.own, message: 'x' });
      const empty = await one.tool('send', { recipient: 'nobody-at-all', message: '' });

      assert.deepEqual(
        [unknown, self, empty].map(({ text, isError }) => [text, isError]),
        [
          ['recipient not found', true],
          ['cannot send message to self', true],
          ['no message provided', true],
        ],
      );
    });

    test('AGENT-08 the command reads letters sent over MCP and the reverse, with the same content', async (context) => {
      const [one, two] = await pair(context);
      const message = 'with "quotes", <tags> & 😀\n\ttabs and a newline at the end\n';

      const sent = await one.tool('send', { recipient: two.own, message });
      const read = await world.as(two.pane, 'receive');
      const written = await runAgentmail(['send', one.own], {
        cwd: world.project,
        env: world.server.env(two.pane),
        stdin: `${message}\n`,
      });
      const received = await one.tool('receive');

      assert.equal(read.stdout, `From: ${one.own}\nID: ${sent.content.message_id}\n\n${message}`);
      const [, id] = /^Message #(\w{8}) sent\n$/.exec(written.stdout) ?? [];
      assert.equal(received.text, `From: ${two.own}\nID: ${id}\n\n${message}`);
      assert.equal(received.content.message, message);
    });

    test('AGENT-09 AGENT-10 AGENT-11 a valid status is stored, an invalid one rejected, and work resets the notification', async (context) => {
      const [one] = await pair(context);
      const confirmed = [];

      for (const status of ['ready', 'offline', 'work']) confirmed.push(await one.tool('status', { status }));
      const refused = await Promise.all(
        [{ status: 'busy' }, { status: 'READY' }, {}, { status: 7 }].map((args) => one.tool('status', args)),
      );

      assert.deepEqual(
        confirmed.map(({ text }) => text),
        ['Status set to ready', 'Status set to offline', 'Status set to work'],
      );
      assert.deepEqual(
        refused.map(({ text, isError }) => [text, isError]),
        ['busy', 'READY', '', '7'].map((value) => [`Invalid status: ${value}. Valid: ready, work, offline`, true]),
      );
      const state = world.states().find(({ recipient }) => recipient === one.own);
      assert.deepEqual([state?.status, state?.notified_at], ['work', '0001-01-01T00:00:00Z']);
    });

    test('AGENT-12 all windows except the ignored ones are listed, the current one marked', async (context) => {
      const [one, two] = await pair(context);
      writeFileSync(join(world.project, '.agentmailignore'), `${two.own}\n`);
      context.after(() => writeFileSync(join(world.project, '.agentmailignore'), ''));
      await one.tool('status', { status: 'ready' });

      const { text, content } = await one.tool('list-recipients');

      const lines = text.split('\n');
      assert(lines.includes(`${one.own} [you]`) && lines.includes('a1') && !lines.includes(two.own), text);
      const recipients = content.recipients as { name: string; is_current: boolean; status?: string }[];
      assert.deepEqual(
        recipients.filter(({ is_current }) => is_current),
        [{ name: one.own, is_current: true, status: 'ready' }],
      );
      const ignored = await one.tool('send', { recipient: two.own, message: 'x' });
      assert.equal(ignored.text, 'recipient not found');
    });

    test('AGENT-13 an agent without others is informed of it, and the list follows windows that open and close', async (context) => {
      count += 1;
      const session = `alone${count}`;
      const pane = world.server.addSession(session, `solo${count}`);
      const solo = await startAgent(world, { home, pane, era, args });
      context.after(() => solo.shim.stop());

      const alone = await solo.tool('list-recipients');
      const guest = world.server.addWindow('guest', { session });
      const together = await solo.tool('list-recipients');
      world.server.tmux('kill-window', '-t', guest);
      const again = await solo.tool('list-recipients');

      assert.equal(alone.text, `solo${count} [you]\nNo other agent is available.`);
      assert.equal(together.text, `solo${count} [you]\nguest`);
      assert.equal(again.text, alone.text);
    });

    test('AGENT-14 AGENT-17 malformed JSON gets -32700, the server continues, and stdout has only protocol messages', async (context) => {
      const [one] = await pair(context);

      one.shim.sendText('{bad json\n');
      const refusal = await one.shim.messages.answerTo(null);
      const { text } = await one.tool('receive');
      const { noise, code } = await one.shim.stop();

      assert.equal(refusal.error?.code, -32700);
      assert.equal(text, 'No unread messages');
      assert.deepEqual([noise, code], [[], 0]);
    });

    test('AGENT-15 more than 65,536 bytes are a protocol error that names the limit; 65,536 bytes are accepted', async (context) => {
      const [one, two] = await pair(context);
      const call = (message: string) =>
        one.ask('tools/call', { name: 'send', arguments: { recipient: two.own, message } });

      const passed = [await call('x'.repeat(LIMIT)), await call('é'.repeat(LIMIT / 2))];
      const refused = [await call('x'.repeat(LIMIT + 1)), await call('é'.repeat(LIMIT / 2 + 1))];

      assert(passed.every(({ result }) => result?.isError !== true && result !== undefined));
      for (const { error } of refused) {
        assert.equal(error?.code, -32602);
        assert.match(error.message, /65536/);
      }
      assert.equal((await two.receiveAll()).length, 2);
    });

    test('AGENT-21 two agents complete a whole cycle of status, list, send and receive', async (context) => {
      const [one, two] = await pair(context);

      await one.tool('status', { status: 'ready' });
      const { text } = await one.tool('list-recipients');
      await one.tool('send', { recipient: two.own, message: 'question?' });
      const question = await two.tool('receive');
      await two.tool('send', { recipient: String(question.content.from), message: 'answer!' });
      const answer = await one.tool('receive');

      assert(text.includes(two.own));
      assert.partialDeepStrictEqual(answer.content, { from: two.own, message: 'answer!' });
    });
  });
}

describe('agentmail mcp', { timeout: 300_000 }, () => {
  const folder = temporaryFolder(after);
  const world = createMailWorld(after, folder);
  const homes: string[] = [];
  after(() => homes.forEach(removeHome));

  function newHome(): string {
    const home = join(folder, `home${homes.length}`);
    homes.push(home);
    return home;
  }

  test('AGENT-18 creates the missing .agentmail folder', async (context) => {
    const project = join(folder, 'fresh');
    mkdirSync(join(project, '.git'), { recursive: true });
    const fresh: MailWorld = { ...world, project };
    const agent = await startAgent(fresh, { home: newHome(), pane: world.server.addWindow('fresh') });
    context.after(() => agent.shim.stop());

    await agent.tool('status', { status: 'ready' });
    await agent.tool('send', { recipient: 'a1', message: 'hello' });

    const mailbox = readFileSync(join(project, '.agentmail', 'mailboxes', 'a1.jsonl'), 'utf8');
    assert.match(mailbox, /"from":"fresh","to":"a1","message":"hello"/);
  });

  test('AGENT-19 lists its tools within a second of its start, and answers every call within two seconds', async (context) => {
    const home = newHome();
    const pane = world.server.addWindow('quick');
    const warm = await startAgent(world, { home, pane });
    context.after(() => warm.shim.stop());

    const isListed = await withinLimit(1_000, async () => {
      const elapsed = startStopwatch();
      const agent = await startAgent(world, { home, pane });
      context.after(() => agent.shim.stop());
      await agent.ask('tools/list');
      return elapsed();
    });
    const isAnswered: boolean[] = [];
    for (const [name, args] of [
      ['status', { status: 'ready' }],
      ['list-recipients', {}],
      ['send', { recipient: 'a1', message: 'x' }],
      ['receive', {}],
    ] as const) {
      const call = async () => {
        const elapsed = startStopwatch();
        await warm.tool(name, args);
        return elapsed();
      };
      isAnswered.push(await withinLimit(2_000, call));
    }

    assert.deepEqual([isListed, ...isAnswered], [true, true, true, true, true]);
  });

  // With --embedded, the first calls compile and cache code, which is no leak: memory is measured after a warm-up.
  // V8 also grows its young generation instead of collecting it, which is no leak either: its size is limited.
  // The store starts its background thread a second after the first words were added.
  for (const { args, settlingMs, env } of [
    { args: [], settlingMs: 0, env: {} },
    { args: ['--embedded'], settlingMs: 5_000, env: { NODE_OPTIONS: '--max-semi-space-size=1' } },
  ]) {
    test(`AGENT-20 a hundred calls succeed and add at most 10 MB to the process ${args}`, async (context) => {
      const pane = world.server.addWindow(`steady${args}`);
      const agent = await startAgent(world, {
        home: newHome(),
        pane,
        args,
        env: { ...world.server.env(pane), ...env },
      });
      context.after(() => agent.shim.stop());
      const call = async (count: number) => {
        for (let made = 0; made < count; made += 1) {
          const [name, input] = CALLS[made % CALLS.length] ?? CALLS[0];
          const { isError, text } = await agent.tool(name, input);
          assert.equal(isError, false, text);
        }
      };
      for (const until = performance.now() + settlingMs; performance.now() < until; ) await call(100);

      const before = memoryOf(agent.shim.pid);
      await call(100);

      const after = memoryOf(agent.shim.pid);
      assert(after - before <= 10 * 1024, `${before} KB became ${after} KB`);
    });
  }

  test('AGENT-24 finds the pane through its parent processes if the environment does not name it', async () => {
    const script = join(folder, 'client.mjs');
    writeFileSync(script, CLIENT_IN_PANE);

    const result = await world.server.runInside({
      window: 'found',
      scratch: join(folder, 'scratch'),
      command: [process.execPath, script, programPath, newHome()],
      without: ['TMUX', 'TMUX_PANE'],
    });

    assert.equal(result.code, 0, result.stderr);
    assert.match(result.stdout, /found \[you\]/);
  });

  test('the combined endpoint lists the tools with a prefix', async (context) => {
    const pane = world.server.addWindow('combined');
    const agent = await startAgent(world, { home: newHome(), pane, program: programPath });
    context.after(() => agent.shim.stop());

    const { result } = await agent.ask('tools/list');
    const { text } = await agent.tool('agentmail_receive');

    assert.deepEqual(
      namesIn(result).filter((name) => name.startsWith('agentmail_')),
      ['agentmail_list_recipients', 'agentmail_receive', 'agentmail_send', 'agentmail_status'],
    );
    assert.ok(namesIn(result).includes('switchboard_status'));
    assert.equal(text, 'No unread messages');
  });

  test('a read-only client gets only the tool that lists recipients', async (context) => {
    const pane = world.server.addWindow('reader');
    const args = ['--only', 'agentmail', '--read-only'];
    const agent = await startAgent(world, { home: newHome(), pane, program: programPath, args });
    context.after(() => agent.shim.stop());

    const { result } = await agent.ask('tools/list');

    assert.deepEqual(namesIn(result), ['list-recipients']);
  });
});

const CALLS = [
  ['list-recipients', {}],
  ['send', { recipient: 'a1', message: 'x'.repeat(1_000) }],
  ['receive', {}],
  ['status', { status: 'ready' }],
] as const;

function namesIn(result: JsonObject | undefined): string[] {
  return ((result?.tools ?? []) as { name: string }[]).map(({ name }) => name);
}

/** Resident memory in KB. */
function memoryOf(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
}

/** A client that starts the server without passing on its environment, and lists the recipients. */
const CLIENT_IN_PANE = `
import { spawn } from 'node:child_process';
const [, , program, home] = process.argv;
const { PATH, HOME } = process.env;
const server = spawn(process.execPath, [program, 'mcp', '--only', 'agentmail'], {
  env: { PATH, HOME, SWITCHBOARD_HOME: home },
  stdio: ['pipe', 'pipe', 'inherit'],
});
const say = (message) => server.stdin.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n');
say({ id: 1, method: 'initialize', params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'x', version: '1' } } });
say({ method: 'notifications/initialized' });
say({ id: 2, method: 'tools/call', params: { name: 'list-recipients', arguments: {} } });
let text = '';
server.stdout.setEncoding('utf8').on('data', (chunk) => {
  text += chunk;
  const answer = text.split('\\n').filter(Boolean).map((line) => JSON.parse(line)).find(({ id }) => id === 2);
  if (!answer) return;
  console.log(answer.result.content[0].text);
  server.stdin.end();
});
`;
