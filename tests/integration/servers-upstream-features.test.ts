import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, watch } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { createMcpHandler } from '@modelcontextprotocol/server';
import type { JsonObject } from '../../src/domain/json.ts';
import { createRemoteTransport } from '../../src/servers/upstream/remote-transport.ts';
import { type Upstream, UpstreamFailure } from '../../src/servers/upstream/upstream.ts';
import { connectTo, connectToProgram, createRecordingListener, NEVER } from '../support/servers/upstream-connection.ts';
import { createFeaturesServer } from '../support/servers/upstream-features-server.ts';
import { fromWeb, type Handler, serveHttp } from '../support/servers/upstream-http.ts';
import { sessionHandler } from '../support/servers/upstream-sessions.ts';

const ANSWERS: Record<string, JsonObject> = {
  'elicitation/create': { action: 'accept', content: { city: 'Brno' } },
  'sampling/createMessage': { role: 'assistant', model: 'm', content: { type: 'text', text: 'hello' } },
  'roots/list': { roots: [{ uri: 'file:///tmp/x' }] },
};

const folder = mkdtempSync(join(tmpdir(), 'sb-upstream-'));
after(() => rm(folder, { recursive: true }));

interface Opened {
  upstream: Upstream;
  listener: ReturnType<typeof createRecordingListener>;
  close(): Promise<void>;
}

interface World {
  name: string;
  era: Upstream['era'];
  open(name: string): Promise<Opened>;
}

const overStdio =
  (args: readonly string[], protocol: 'auto' | 'stateless') =>
  async (name: string): Promise<Opened> => {
    const listener = createRecordingListener(ANSWERS);
    const all = ['--name', name, '--dir', folder, ...args];
    const connected = await connectToProgram('upstream-features.ts', all, { listener, protocol });
    return { upstream: connected.upstream, listener, close: () => connected[Symbol.asyncDispose]() };
  };

const overHttp =
  (handlerFor: (name: string) => Handler) =>
  async (name: string): Promise<Opened> => {
    const listener = createRecordingListener(ANSWERS);
    const server = await serveHttp(handlerFor(name));
    const transport = createRemoteTransport({ type: 'http', url: server.url });
    const upstream = await connectTo({ transport, listener });
    return {
      upstream,
      listener,
      async close() {
        await upstream.close();
        await server.close();
      },
    };
  };

function statelessHandler(name: string): Handler {
  const handler = createMcpHandler(() =>
    createFeaturesServer({
      name,
      dir: folder,
      notify: {
        toolsChanged: () => handler.notify.toolsChanged(),
        resourceUpdated: (uri) => handler.notify.resourceUpdated(uri),
      },
    }),
  );
  return fromWeb((request) => handler.fetch(request));
}

const worlds: World[] = [
  { name: 'stdio with a session', era: 'sessions', open: overStdio([], 'auto') },
  { name: 'stdio without sessions', era: 'stateless', open: overStdio([], 'stateless') },
  { name: 'stdio, where a session is refused', era: 'stateless', open: overStdio(['--era', 'stateless'], 'auto') },
  {
    name: 'HTTP with a session',
    era: 'sessions',
    open: overHttp((name) => sessionHandler(() => createFeaturesServer({ name, dir: folder }))),
  },
  { name: 'HTTP without sessions', era: 'stateless', open: overHttp(statelessHandler) },
];

for (const [index, world] of worlds.entries()) {
  describe(`HOST-20 everything of the protocol arrives over ${world.name}`, () => {
    const name = `s${index}`;
    let opened: Opened;
    const call = (tool: string, options: object = {}, args: JsonObject = {}) =>
      opened.upstream.request(
        'tools/call',
        { name: `${tool}_${name}`, arguments: args },
        { signal: NEVER, timeoutMs: 60_000, ...options },
      );
    const textOf = (result: JsonObject) => (result.content as { text: string }[])[0]?.text;

    before(async () => {
      opened = await world.open(name);
    });
    after(() => opened.close());

    test('the handshake', () => {
      const { era, serverInfo, instructions, capabilities } = opened.upstream;

      assert.equal(era, world.era);
      assert.equal(serverInfo.name, `features-${name}`);
      assert.equal(instructions, `Instructions of ${name}`);
      assert.ok(capabilities.tools);
    });

    test('lists', async () => {
      const [tools, resources, templates, prompts] = await Promise.all([
        opened.upstream.list('tools', NEVER),
        opened.upstream.list('resources', NEVER),
        opened.upstream.list('resourceTemplates', NEVER),
        opened.upstream.list('prompts', NEVER),
      ]);

      const echo = tools.find((tool) => tool.name === `echo_${name}`);
      assert.equal(echo?.title, 'Echo Title');
      assert.deepEqual(echo?.annotations, { readOnlyHint: true, title: 'Echo' });
      assert.equal(resources[0]?.uri, `test://${name}/readme`);
      assert.equal(templates[0]?.uriTemplate, `test://${name}/file/{id}`);
      assert.equal(prompts[0]?.name, `hello_${name}`);
    });

    test('results with all kinds of content, and errors of tools', async () => {
      const rich = await call('rich');
      const failed = await call('fail');

      assert.equal((rich.content as unknown[]).length, 3);
      assert.deepEqual(rich.structuredContent, { n: 7 });
      assert.equal((rich._meta as JsonObject)['x.test/k'], 'v');
      assert.equal(rich.resultType, undefined);
      assert.equal(failed.isError, true);
    });

    test('the metadata of requests', async () => {
      const result = await opened.upstream.request(
        'tools/call',
        { name: `meta_${name}`, arguments: {}, _meta: { 'x.test/a': 1, progressToken: 'of the caller' } },
        { signal: NEVER, timeoutMs: 60_000 },
      );

      const meta = JSON.parse(String(textOf(result)));
      assert.equal(meta['x.test/a'], 1);
      assert.equal(meta.progressToken, undefined);
    });

    test('progress, only where it is wanted', async () => {
      const progress: JsonObject[] = [];

      const result = await call('progress', { onProgress: (params: JsonObject) => progress.push(params) });
      const without = await call('progress');

      assert.equal(textOf(result), 'done');
      assert.deepEqual(
        progress.map(({ progress: step, total, message, progressToken }) => [step, total, message, progressToken]),
        [1, 2, 3].map((step) => [step, 3, `step ${step}`, undefined]),
      );
      assert.equal(textOf(without), 'no token');
    });

    test('cancellation', async () => {
      const stop = new AbortController();
      const asked = call('wait', { signal: stop.signal });
      await fileExists(join(folder, `waiting-${name}`));

      stop.abort();

      await assert.rejects(asked, (failure) => failure instanceof UpstreamFailure && failure.kind === 'cancelled');
      await fileExists(join(folder, `cancelled-${name}`));
    });

    test('questions of a tool', async () => {
      const asked: string[] = [];
      const onQuestion = async (method: string) => {
        asked.push(method);
        return ANSWERS[method] ?? {};
      };

      const results = [
        await call('elicit', { onQuestion }),
        await call('sample', { onQuestion }),
        await call('roots', { onQuestion }),
      ];

      assert.deepEqual(results.map(textOf), ['city=Brno', 'sampled=hello', 'roots=file:///tmp/x']);
      assert.deepEqual(asked, ['elicitation/create', 'sampling/createMessage', 'roots/list']);
    });

    test('questions of a tool whose call has no answers are for the listener', async () => {
      const result = await call('elicit');

      assert.equal(textOf(result), 'city=Brno');
      assert.deepEqual(opened.listener.of('question'), ['elicitation/create']);
    });

    test('log messages of a call', async () => {
      const logged = Promise.withResolvers<JsonObject>();
      await opened.upstream.setLogLevel('debug');

      await call('log', { onLog: logged.resolve });

      const { level, data } = await logged.promise;
      assert.deepEqual([level, data], ['warning', `log line of ${name}`]);
    });

    test('resources, prompts and completion', async () => {
      const options = { signal: NEVER, timeoutMs: 60_000 };
      const read = await opened.upstream.request('resources/read', { uri: `test://${name}/file/5` }, options);
      const prompt = await opened.upstream.request(
        'prompts/get',
        { name: `hello_${name}`, arguments: { who: 'Bob' } },
        options,
      );
      const completed = await opened.upstream.request(
        'completion/complete',
        { ref: { type: 'ref/prompt', name: `hello_${name}` }, argument: { name: 'who', value: 'al' } },
        options,
      );

      assert.equal((read.contents as JsonObject[])[0]?.text, `file 5 of ${name}`);
      assert.match(JSON.stringify(prompt), /Hello Bob/);
      assert.deepEqual((completed.completion as JsonObject).values, ['alice', 'albert']);
    });

    test('changes of resources', async () => {
      await opened.upstream.subscribe(`test://${name}/readme`, NEVER);

      await call('touch');

      assert.equal(await opened.listener.first('updated'), `test://${name}/readme`);
      await opened.upstream.unsubscribe(`test://${name}/readme`);
    });

    test('changes of lists', async () => {
      await call('grow');

      assert.equal(await opened.listener.first('list'), 'tools');
    });

    test('whether it is alive', async () => {
      await opened.upstream.ping(NEVER);
    });

    test('errors of the server', async () => {
      const asked = opened.upstream.request(
        'resources/read',
        { uri: 'test://nothing' },
        { signal: NEVER, timeoutMs: 60_000 },
      );

      await assert.rejects(asked, (failure) => {
        assert.ok(failure instanceof UpstreamFailure);
        assert.equal(failure.kind, 'rpc');
        assert.ok([-32602, -32002].includes(failure.rpc?.code ?? 0));
        return true;
      });
    });

    test('512 calls at once, each with its own answer', async () => {
      const texts = Array.from({ length: 512 }, (_, number) => `text ${number}`);

      const results = await Promise.all(texts.map((text) => call('echo', {}, { text })));

      assert.deepEqual(results.map(textOf), texts);
    });
  });
}

async function fileExists(path: string): Promise<void> {
  const created = Promise.withResolvers<void>();
  const watcher = watch(folder, () => existsSync(path) && created.resolve());
  if (existsSync(path)) created.resolve();
  await created.promise;
  watcher.close();
}
