import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { connectAgent, type MailClient, type ProtocolEra, startAgent } from '../support/agentmail/clients.ts';
import { createMailWorld } from '../support/agentmail/program.ts';
import { startHttp } from '../support/mcp/mcp-program.ts';
import { request, stateless } from '../support/mcp/rpc-message.ts';
import { removeHome, until } from '../support/mcp/shim-program.ts';
import { runProgram } from '../support/program.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const OWNER = 'the-owner-of-this-machine';
const ALL = 'agentmail:read,agentmail:write,agentmail:send';

describe('agent mail over HTTP', { timeout: 300_000 }, () => {
  const folder = temporaryFolder(after);
  const home = join(folder, 'home');
  const env = { SWITCHBOARD_AUTH__TOKEN: OWNER };
  const world = createMailWorld(after, folder);
  let program: Awaited<ReturnType<typeof startHttp>>;
  let local: Awaited<ReturnType<typeof startAgent>>;
  let url: string;

  before(async () => {
    program = await startHttp({ home, env });
    url = `${program.url}/agentmail`;
    local = await startAgent(world, { home, pane: world.server.first });
    // This call registers the repository with the daemon.
    await local.tool('list-recipients');
  });
  after(async () => {
    await local.shim.stop();
    await program.stop();
    removeHome(home);
  });

  async function addToken(name: string, scopes = ALL, agent?: string): Promise<string> {
    const named = agent === undefined ? [] : ['--agent', agent];
    const { stdout, stderr } = await runProgram(['token', 'add', name, '--scopes', scopes, ...named, '--json'], {
      home,
      env,
    });
    assert.notEqual(stdout, '', stderr);
    return JSON.parse(stdout).token;
  }

  for (const era of ['legacy', 'modern'] as ProtocolEra[]) {
    describe(`${era === 'legacy' ? 'with' : 'without'} a session`, () => {
      const name = `far-${era}`;
      let remote: MailClient;

      before(async () => {
        remote = await connectAgent(url, await addToken(era, ALL, name), era);
      });

      test('AGENT-01 the same four tools are listed', async () => {
        const { result } = await remote.ask('tools/list');

        assert.deepEqual(
          ((result?.tools ?? []) as { name: string }[]).map((tool) => tool.name),
          ['list-recipients', 'receive', 'send', 'status'],
        );
      });

      test('an agent without a window has the identity in its token, and exchanges letters with windows', async () => {
        const listed = await remote.tool('list-recipients');
        const seen = await local.tool('list-recipients');
        const sent = await remote.tool('send', { recipient: 'a1', message: `from ${era}` });
        const received = await local.tool('receive');
        const answered = await world.as(world.server.first, 'send', name, 'the answer');
        const answer = await remote.tool('receive');
        const nothing = await remote.tool('receive');

        assert(
          listed.text.split('\n').includes(`${name} [you]`) && listed.text.split('\n').includes('a1'),
          listed.text,
        );
        assert(seen.text.split('\n').includes(name), seen.text);
        assert.equal(received.text, `From: ${name}\nID: ${sent.content.message_id}\n\nfrom ${era}`);
        assert.equal(answered.code, 0, answered.stderr);
        assert.match(answer.text, /^From: a1\nID: \w{8}\n\nthe answer$/);
        assert.equal(nothing.text, 'No unread messages');
      });

      test('AGENT-10 AGENT-15 rejected calls return the same error texts', async () => {
        const status = await remote.tool('status', { status: 'busy' });
        const { error } = await remote.ask('tools/call', {
          name: 'send',
          arguments: { recipient: 'a1', message: 'x'.repeat(65_537) },
        });

        assert.equal(status.text, 'Invalid status: busy. Valid: ready, work, offline');
        assert.equal(error?.code, -32602);
      });
    });
  }

  test('a token without an agent has no identity, and the error names the option that sets one', async () => {
    const nobody = await connectAgent(url, await addToken('nobody'), 'modern');

    const { isError, content, beside } = await nobody.tool('receive');

    assert.equal(isError, true);
    assert.partialDeepStrictEqual(content, { error: { code: 'NO_AGENT_IDENTITY' } });
    assert.match(beside.join(), /--agent/);
  });

  test('a token with agentmail:read can receive and list, but neither send nor set a status', async () => {
    const reader = await connectAgent(url, await addToken('reader', 'agentmail:read', 'reader'), 'modern');

    const { result } = await reader.ask('tools/list');
    const { text } = await reader.tool('receive');

    assert.deepEqual(
      ((result?.tools ?? []) as { name: string }[]).map((tool) => tool.name),
      ['list-recipients', 'receive'],
    );
    assert.equal(text, 'No unread messages');
  });

  test('REST offers the same operations', async () => {
    const token = await addToken('rest', ALL, 'rester');
    const ask = (method: string, path: string, body?: object) =>
      fetch(`${program.base}/api/v1/agentmail${path}`, {
        method,
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        ...(body ? { body: JSON.stringify(body) } : {}),
      });

    const sent = await ask('POST', '/send', { recipient: 'a1', message: 'by REST' });
    const { message_id: id } = (await sent.json()) as { message_id: string };
    const received = await local.tool('receive');
    await local.tool('send', { recipient: 'rester', message: 'back' });
    const answer = await (await ask('POST', '/receive')).json();
    const again = await (await ask('POST', '/receive')).json();
    const set = await (await ask('PUT', '/status', { status: 'work' })).json();
    const { recipients } = (await (await ask('GET', '/recipients')).json()) as { recipients: object[] };
    const unknown = await ask('POST', '/send', { recipient: 'nobody-at-all', message: 'x' });

    assert.equal(received.content.id, id);
    assert.partialDeepStrictEqual(answer, { from: 'a1', message: 'back', remaining: 0 });
    assert.deepEqual([again, set], [{ status: 'No unread messages', remaining: 0 }, { status: 'work' }]);
    assert.partialDeepStrictEqual(
      recipients.find((one) => (one as { name: string }).name === 'rester'),
      { is_current: true, status: 'work' },
    );
    assert.equal(unknown.status, 404);
  });

  test('the event stream reports letters without their content', async () => {
    const token = await addToken('watched', ALL, 'watched');
    const remote = await connectAgent(url, token, 'modern');
    await remote.tool('list-recipients');
    const stream = await fetch(`${program.base}/api/v1/events?types=agentmail.`, {
      headers: { authorization: `Bearer ${OWNER}` },
    });

    const { content } = await local.tool('send', { recipient: 'watched', message: 'a secret plan' });
    await remote.tool('receive');
    const told = await textUntil(stream, 'agentmail.received');

    const events = [...told.matchAll(/^data: (.*)$/gm)].map(([, json = '']) => JSON.parse(json));
    assert.deepEqual(
      events.map(({ type, subject, data }) => [type, subject, data]),
      ['agentmail.sent', 'agentmail.received'].map((type) => [
        type,
        content.message_id,
        { from: 'a1', to: 'watched', repository: join(world.project, '.agentmail') },
      ]),
    );
    assert(!told.includes('secret plan'));
  });

  test('letters can be read through chat only with the scope agentmail:read', async () => {
    const [chatter, secretary, colleague] = await Promise.all([
      addToken('chatter', 'chat:read,chat:send,system:read,system:manage'),
      addToken('secretary', 'chat:read,agentmail:read'),
      addToken('colleague', `chat:read,${ALL}`, 'colleague'),
    ]);
    const api = async (bearer: string, path: string) => {
      const answer = await fetch(`${program.base}/api/v1${path}`, { headers: { authorization: `Bearer ${bearer}` } });
      return { status: answer.status, text: await answer.text() };
    };
    const readBy = async (bearer: string) => {
      const answers = [
        await api(bearer, '/sources'),
        await api(bearer, '/messages?search=xylophone'),
        await api(bearer, '/search?q=xylophone'),
        await api(bearer, '/messages?source=agentmail&chat=human'),
        await api(bearer, '/agentmail/search?words=xylophone'),
      ];
      return answers.map(({ status, text }) => (status === 200 ? /xylophone|Agent mail/.test(text) : status));
    };
    const watched = await fetch(`${program.base}/api/v1/events?types=message.,messages.,agentmail.,session.`, {
      headers: { authorization: `Bearer ${chatter}` },
    });

    await local.tool('send', { recipient: 'human', message: 'the word is xylophone' });
    await until('the letter is in chat', async () =>
      (await api(OWNER, '/messages?search=xylophone')).text.includes('the word is'),
    );
    const read = await Promise.all([chatter, secretary, colleague].map(readBy));
    await connectAgent(url, chatter, 'legacy');
    const told = await textUntil(watched, 'session.created');

    assert.deepEqual(read, [
      [false, false, false, 404, 403],
      [true, true, true, true, true],
      [false, false, false, 404, 403],
    ]);
    assert.doesNotMatch(told, /xylophone|"agentmail\.|"source":"agentmail"/);
  });

  test('a token that belongs to one agent cannot search the letters of all agents', async () => {
    const token = await addToken('curious', ALL, 'curious');
    const search = (bearer: string) =>
      fetch(`${program.base}/api/v1/agentmail/search?words=plan`, { headers: { authorization: `Bearer ${bearer}` } });

    const [refused, found] = await Promise.all([search(token), search(OWNER)]);

    assert.deepEqual([refused.status, found.status], [403, 200]);
  });

  for (const path of ['/mcp/agentmail', '/api/v1/agentmail/receive']) {
    test(`a letter is delivered again if the client of ${path} disconnects before the response`, async () => {
      const name = `leaver-${path.length}`;
      const token = await addToken(name, ALL, name);
      const remote = await connectAgent(url, token, 'modern');
      await remote.tool('list-recipients');
      const { content } = await local.tool('send', { recipient: name, message: 'do not lose me' });

      await askAndLeave(program.base, path, token);
      let received: string[] = [];
      await until('the letter is delivered again', async () => {
        received = await remote.receiveAll();
        return received.length > 0;
      });

      assert.deepEqual(received, [content.message_id]);
    });
  }
});

test('without a known repository a remote agent gets an error that states the reason', async (context) => {
  const folder = temporaryFolder((end) => context.after(end));
  const home = join(folder, 'home');
  const env = { SWITCHBOARD_AUTH__TOKEN: OWNER };
  const program = await startHttp({ home, env });
  context.after(async () => {
    await program.stop();
    removeHome(home);
  });
  const { stdout } = await runProgram(['token', 'add', 'x', '--scopes', ALL, '--agent', 'far', '--json'], {
    home,
    env,
  });
  const remote = await connectAgent(`${program.url}/agentmail`, JSON.parse(stdout).token, 'modern');

  const { text, isError } = await remote.tool('receive');

  assert.deepEqual([text, isError], ['No repository with agent mail is known yet.', true]);
});

async function textUntil(response: Response, word: string): Promise<string> {
  let told = '';
  for await (const text of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    told += text;
    if (told.includes(word) && told.endsWith('\n\n')) break;
  }
  return told;
}

/** Sends a complete request and resets the connection before the response. */
function askAndLeave(base: string, path: string, token: string): Promise<void> {
  const { hostname, port } = new URL(base);
  const message = request('tools/call', stateless({ name: 'receive', arguments: {} }));
  const body = path.startsWith('/api') ? '{}' : JSON.stringify(message);
  const head = [
    `POST ${path} HTTP/1.1`,
    `host: ${hostname}:${port}`,
    `authorization: Bearer ${token}`,
    'content-type: application/json',
    'accept: application/json, text/event-stream',
    'mcp-protocol-version: 2026-07-28',
    'mcp-method: tools/call',
    'mcp-name: receive',
    `content-length: ${Buffer.byteLength(body)}`,
  ];
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => {
      socket.write(`${head.join('\r\n')}\r\n\r\n${body}`, () => {
        socket.resetAndDestroy();
        resolve();
      });
    });
    socket.on('error', reject);
  });
}
