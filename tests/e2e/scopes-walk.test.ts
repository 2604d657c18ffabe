import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { composedCapabilities } from '../../src/compose.ts';
import { RIGHTS } from '../../src/domain/principal.ts';
import { accessOf, nameOf, type Operation, rightOf } from '../../src/operation.ts';
import { writeConfig } from '../support/chat/live-home.ts';
import { readSse } from '../support/http/sse-reader.ts';
import { startHttp } from '../support/mcp/mcp-program.ts';
import { openSession, postStateless } from '../support/mcp/rpc-http.ts';
import { request, stateless } from '../support/mcp/rpc-message.ts';
import { INPUTS } from '../support/searching-inputs.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const OWNER = 'the-owner-of-this-machine';
const CAPABILITIES = composedCapabilities();
const SCOPES = CAPABILITIES.flatMap(({ name }) => RIGHTS.map((right) => `${name}:${right}`));
/** In the names and texts of everything that a confined token may not see. */
const CANARY = 'canary';
/** As long as the canary, and not there. */
const ABSENT = 'absent';

const OPERATIONS = CAPABILITIES.flatMap(({ name, operations }) =>
  operations.map((operation) => ({ operation, scope: `${name}:${rightOf(operation)}`, name: nameOf(operation) })),
);
const ROUTES = OPERATIONS.filter(({ operation }) => operation.rest);

const withScope = (scope: string) => `token-with-${scope}`;
const withoutScope = (scope: string) => `token-without-${scope}`;
const CONFINED = 'token-for-one-chat';

describe('scopes, walked over every door', { timeout: 240_000 }, () => {
  const home = join(temporaryFolder(after), 'home');
  let program: Awaited<ReturnType<typeof startHttp>>;
  let hiddenMessage: string;
  let hiddenSession: string;
  let hiddenConversation: string;

  before(async () => {
    const token = (name: string, text: string, scopes: readonly string[], more = {}) => ({
      name: name.replaceAll(':', '.'),
      token_hash: createHash('sha256').update(text).digest('hex'),
      scopes,
      ...more,
    });
    writeConfig(home, {
      auth: {
        token: OWNER,
        tokens: [
          // With an identity, and something to send through, every tool can work.
          ...SCOPES.map((scope) => token(`with-${scope}`, withScope(scope), [scope], { agent: 'walker' })),
          ...SCOPES.map((scope) =>
            token(
              `without-${scope}`,
              withoutScope(scope),
              SCOPES.filter((one) => one !== scope),
            ),
          ),
          token('confined', CONFINED, SCOPES, { chats: ['open:dev'] }),
        ],
      },
      sources: {
        open: { kind: 'webhook' },
        'canary-source': { kind: 'webhook', name: 'canary name' },
        'canary-network': { kind: 'irc', host: '127.0.0.1', port: 1, tls: false, nick: 'walker' },
      },
      claude: { api_key: 'a-key', base_url: 'http://127.0.0.1:1', max_retries: 0 },
      accounts: {
        'canary-account': {
          email: 'canary@example.test',
          provider: 'imap',
          imap: { host: '127.0.0.1', port: 1, tls: true },
          auth: { user: 'canary', password: 'of-a-canary' },
        },
      },
    });
    program = await startHttp({ home });
    await postMessage('open', { chat: 'dev', sender: 'ada', text: 'a word for developers' });
    await postMessage('open', { chat: 'canary-chat', sender: 'canary-sender', text: 'a canary secret' });
    await postMessage('canary-source', { chat: 'canary-room', sender: 'canary-sender', text: 'another canary secret' });
    const found = await rest('GET', '/sources/canary-source/messages', OWNER);
    hiddenMessage = JSON.parse(found.text).messages[0].id;
    const session = await openSession(program.url, { authorization: `Bearer ${OWNER}` });
    await session.call('resources/subscribe', { uri: 'messages://canary-source/*' });
    hiddenSession = session.id;
    const conversation = await rest('POST', '/conversations', OWNER, { title: 'a canary conversation' });
    hiddenConversation = JSON.parse(conversation.text).conversation_id;
  });

  after(() => program.stop());

  async function rest(method: string, path: string, token: string, body?: unknown) {
    const answer = await fetch(`${program.base}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: answer.status, text: await answer.text() };
  }

  const postMessage = (source: string, message: object) =>
    rest('POST', `/sources/${source}/messages`, OWNER, [message]);

  /** A request that is refused by its input, if not by the rights of its token before: it never has an effect. */
  function probe({ rest: route }: Operation, token: string) {
    const { method = 'GET', path = '' } = route ?? {};
    const filled = path.replaceAll(/:\w+/g, 'x');
    if (method === 'GET') return rest(method, `${filled}?no_such_field=1`, token);
    return rest(method, filled, token, route?.body === undefined ? { no_such_field: 1 } : [{ no_such_field: 1 }]);
  }

  test('every route is open to a token with its scope, and closed to one with all others', async () => {
    for (const { operation, scope, name } of ROUTES) {
      const [allowed, refused] = [
        await probe(operation, withScope(scope)),
        await probe(operation, withoutScope(scope)),
      ];

      assert.equal(allowed.status === 403, operation.ownerOnly === true, `${name}, ${scope}: ${allowed.text}`);
      assert.equal(refused.status, 403, `${name}, without ${scope}`);
    }
  });

  test('every list over MCP has exactly what the scopes allow, in both eras', async () => {
    const offered = {
      'tools/list': ['tools', 'name', OPERATIONS.flatMap(({ operation, scope }) => toolIn(operation, scope))],
      'resources/list': [
        'resources',
        'uri',
        entries(({ resources = [] }) => resources.map((one) => [one.uri, one.right])),
      ],
      'resources/templates/list': [
        'resourceTemplates',
        'uriTemplate',
        entries(({ templates = [] }) => templates.map((one) => [one.uriTemplate, one.right])),
      ],
      'prompts/list': ['prompts', 'name', entries(({ prompts = [] }) => prompts.map((one) => [one.name, one.right]))],
    } as const;
    const used = new Set(Object.values(offered).flatMap(([, , list]) => list.map(({ scope }) => scope)));

    for (const scope of used) {
      const headers = { authorization: `Bearer ${withScope(scope)}` };
      const session = await openSession(program.url, headers);
      for (const [method, [key, id, list]] of Object.entries(offered)) {
        const { result } = await session.call(method);
        const message = request(method, stateless());
        const { messages } = await postStateless(program.url, message, headers);
        const expected = list.filter((one) => one.scope === scope).map(({ name }) => name);
        const names = (value: Record<string, unknown> | undefined) =>
          ((value?.[key] ?? []) as Record<string, string>[]).map((one) => one[id]);

        assert.deepEqual(names(result).sort(), expected.sort(), `${method} with ${scope}`);
        assert.deepEqual(names(messages[0]?.result).sort(), expected.sort(), `${method} with ${scope}, stateless`);
      }
      await session.close();
    }
  });

  test('attack: a token with system:read reads neither the configuration nor the sessions of others', async (context) => {
    const token = withScope('system:read');
    const session = await openSession(program.url, { authorization: `Bearer ${token}` });
    const stream = await readSse(context, `${program.base}/api/v1/events?after=0`, {
      authorization: `Bearer ${withoutScope('system:manage')}`,
    });
    await postMessage('open', { chat: 'dev', sender: 'ada', text: 'a later word' });

    const answers = [
      await session.call('resources/read', { uri: 'switchboard://config' }),
      await session.call('resources/read', { uri: `switchboard://sessions/${hiddenSession}` }),
      await session.call('resources/subscribe', { uri: 'switchboard://sessions/*' }),
    ];
    const status = await session.call('resources/read', { uri: 'switchboard://status' });

    for (const { error, result } of answers) assert.ok(error && !result, JSON.stringify(result));
    assert.ok(status.result);
    const events = (await stream.take(4)).map(({ data }) => (data as { type: string }).type);
    assert.deepEqual(events, Array(4).fill('message.received'), 'no event of the sessions between them');
  });

  test('attack: a token for one chat learns nothing of another source, chat, session or count', async () => {
    const missing = ROUTES.filter(({ operation, name }) => operation.effect === 'reads' && !INPUTS[name]);
    assert.deepEqual(
      missing.map(({ name }) => name),
      [],
      'every operation that reads is walked: add inputs that look for the canary',
    );
    const session = await openSession(program.url, { authorization: `Bearer ${CONFINED}` });
    const named = (input: object, name: string) => JSON.parse(fill(JSON.stringify(input), name));

    for (const { operation, name } of OPERATIONS) {
      for (const input of INPUTS[name] ?? []) {
        const answers: string[] = [];
        for (const thing of [CANARY, ABSENT]) {
          const given = named(input, thing);
          if (operation.rest) answers.push((await routed(operation, given)).text);
          if (!operation.mcp || operation.effect !== 'reads') continue;
          const tool = operation.mcp.combined_name ?? operation.mcp.name;
          const { result, error } = await session.call('tools/call', { name: tool, arguments: given });
          answers.push(JSON.stringify(result ?? error));
        }
        const half = answers.length / 2;
        assert.deepEqual(
          answers.slice(0, half).map(withoutNames),
          answers.slice(half).map(withoutNames),
          `${name} ${JSON.stringify(input)}`,
        );
        for (const answer of answers.slice(half)) assert.doesNotMatch(answer, /canary/, `${name} ${answer}`);
      }
    }
  });

  test('attack: a token for one chat finds nothing else by resources, prompts, completion, events and metrics', async (context) => {
    const headers = { authorization: `Bearer ${CONFINED}` };
    const session = await openSession(program.url, headers);
    const stream = await session.listen();
    const uri = 'messages://{source}/{chat}';
    const ref = { type: 'ref/resource', uri };
    const asked = (name: string): [string, object][] => [
      ['resources/read', { uri: `messages://${name}-source/${name}-room` }],
      ['resources/read', { uri: `messages://open/${name}-chat` }],
      ['resources/subscribe', { uri: `messages://open/${name}-chat` }],
      ['resources/subscribe', { uri: `messages://${name}-source/*` }],
      ['resources/read', { uri: `switchboard://sessions/${name === CANARY ? hiddenSession : ABSENT_SESSION}` }],
      ['resources/read', { uri: `conversation://${name === CANARY ? hiddenConversation : ABSENT_SESSION}` }],
      ['resources/read', { uri: 'switchboard://config' }],
      ['resources/read', { uri: 'switchboard://status' }],
      ['prompts/get', { name: 'analyze_conversation', arguments: { source: 'open', chat: `${name}-chat` } }],
      ['completion/complete', { ref, argument: { name: 'source', value: '' } }],
      ['completion/complete', { ref, argument: { name: 'chat', value: name.slice(0, 3) } }],
      ['completion/complete', { ref, argument: { name: 'chat', value: '' } }],
    ];
    const events = await readSse(context, `${program.base}/api/v1/events?after=0`, headers);
    const metrics = await fetch(`${program.base}/metrics`, { headers });
    await session.call('resources/subscribe', { uri: 'messages://*/*' });
    const eras = [
      (method: string, params: object) => session.call(method, params),
      async (method: string, params: object) => {
        const message = request(method, stateless(params));
        return (await postStateless(program.url, message, headers)).messages[0];
      },
    ];

    for (const [index, call] of eras.entries()) {
      const [found, absent] = [asked(CANARY), asked(ABSENT)];
      for (const [position, [method, params]] of found.entries()) {
        if (index > 0 && method === 'resources/subscribe') continue;
        const [, other = {}] = absent[position] ?? [];
        const [hidden, missing] = [await call(method, params), await call(method, other)].map((answer) =>
          JSON.stringify(answer?.error ?? answer?.result),
        );

        assert.equal(withoutNames(hidden ?? ''), withoutNames(missing ?? ''), `${method} ${JSON.stringify(params)}`);
        assert.doesNotMatch(missing ?? '', /canary/, method);
      }
    }
    await postMessage('open', { chat: 'canary-chat', sender: 'x', text: 'a canary secret' });
    await postMessage('open', { chat: 'dev', sender: 'x', text: 'the last word' });
    const update = await stream.messages.notified('notifications/resources/updated');
    const seen = await events.take(3);
    stream.close();

    assert.equal(metrics.status, 403);
    assert.match(JSON.stringify(update), /the last word/);
    assert.doesNotMatch(JSON.stringify([update, seen, await metrics.text()]), /canary/);
    assert.deepEqual(
      seen.map(({ data }) => (data as { data: { chat_id: string } }).data.chat_id),
      ['dev', 'dev', 'dev'],
    );
  });

  function routed({ rest: route }: Operation, input: Record<string, unknown>) {
    const { method = 'GET', path = '' } = route ?? {};
    const others = { ...input };
    const filled = path.replaceAll(/:(\w+)/g, (_, field: string) => {
      delete others[field];
      return encodeURIComponent(String(input[field]));
    });
    if (method !== 'GET') return rest(method, filled, CONFINED, others);
    const query = new URLSearchParams(
      Object.entries(others).flatMap(([field, value]) =>
        [value].flat().map((one): [string, string] => [field, String(one)]),
      ),
    );
    return rest(method, `${filled}?${query}`, CONFINED);
  }

  function fill(text: string, name: string): string {
    return text
      .replaceAll('X-message', name === CANARY ? hiddenMessage : '1')
      .replaceAll('X-session', name === CANARY ? hiddenSession : ABSENT_SESSION)
      .replaceAll('X-conversation', name === CANARY ? hiddenConversation : ABSENT_SESSION)
      .replaceAll('X', name);
  }

  /** What a caller gave is in the answer too; times differ. */
  function withoutNames(text: string): string {
    return (
      text
        .replaceAll(hiddenMessage, '1')
        .replaceAll(hiddenSession, ABSENT_SESSION)
        .replaceAll(hiddenConversation, ABSENT_SESSION)
        .replaceAll(/canary|absent|can\b|abs\b/g, 'X')
        .replaceAll(/(uptime_ms\\?": ?|switchboard\/after": ?|up for )\d+/g, '$1N')
        // It depends on what was asked for, too.
        .replaceAll(/(preview_id\\?": ?\\?")[0-9a-f]+/g, '$1ID')
        .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
    );
  }
});

const ABSENT_SESSION = '00000000000000000000000000';

function entries(listed: (capability: (typeof CAPABILITIES)[number]) => readonly (readonly [string, string])[]) {
  return CAPABILITIES.flatMap((capability) =>
    listed(capability).map(([name, right]) => ({ name, scope: `${capability.name}:${right}` })),
  );
}

function toolIn(operation: Operation, scope: string): { name: string; scope: string }[] {
  const { mcp } = operation;
  // A tool that requires two rights is in no list of a token with one scope.
  const takesMore = mcp?.right !== undefined && mcp.right !== rightOf(operation);
  return mcp && !takesMore && !accessOf(operation).ownerOnly ? [{ name: mcp.combined_name ?? mcp.name, scope }] : [];
}
