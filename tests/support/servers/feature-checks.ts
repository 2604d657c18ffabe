import assert from 'node:assert/strict';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Client } from '@modelcontextprotocol/client';
import type { FeatureClient } from './feature-client.ts';

/** One line of the table of what crosses a gateway. */
export interface FeatureCheck {
  name: string;
  run(world: FeatureWorld): Promise<void>;
}

export interface FeatureWorld {
  client: FeatureClient;
  /** The server's name in Switchboard, and at the end of the names of its tools. */
  server: string;
  /** Where the server writes what happened to it. */
  dir: string;
}

type ToolResult = Awaited<ReturnType<Client['callTool']>>;

const textOf = ({ content }: ToolResult) => (content[0] as { text?: string } | undefined)?.text;
const tool = ({ server }: FeatureWorld, name: string) => `${server}__${name}_${server}`;

function call(world: FeatureWorld, name: string, args: Record<string, unknown> = {}, meta?: Record<string, unknown>) {
  const params = { name: tool(world, name), arguments: args, ...(meta ? { _meta: meta } : {}) };
  return world.client.mcp.callTool(params);
}

async function definitionOf(world: FeatureWorld, name: string) {
  const { tools } = await world.client.mcp.listTools(undefined, { cacheMode: 'refresh' });
  return tools.find((one) => one.name === tool(world, name));
}

/** Everything that a server can do with a client. The order matters: the last check adds a tool. */
export const FEATURE_CHECKS: readonly FeatureCheck[] = [
  {
    name: 'tool call',
    async run(world) {
      assert.equal(textOf(await call(world, 'echo', { text: 'ä € 😀' })), 'ä € 😀');
    },
  },
  {
    name: 'tool title and annotations',
    async run(world) {
      const echo = await definitionOf(world, 'echo');

      assert.equal(echo?.title, 'Echo Title');
      assert.deepEqual(echo?.annotations, { readOnlyHint: true, title: 'Echo' });
    },
  },
  {
    name: 'output schema',
    async run(world) {
      const rich = await definitionOf(world, 'rich');

      assert.partialDeepStrictEqual(rich?.outputSchema, { type: 'object', properties: { n: { type: 'number' } } });
    },
  },
  {
    name: 'image, link and structured content',
    async run(world) {
      const { content, structuredContent } = await call(world, 'rich');

      assert.deepEqual(
        content.map(({ type }) => type),
        ['text', 'image', 'resource_link'],
      );
      assert.partialDeepStrictEqual(content[1], { data: 'aGk=', mimeType: 'image/png' });
      assert.partialDeepStrictEqual(content[2], { uri: `test://${world.server}/readme`, name: 'readme' });
      assert.deepEqual(structuredContent, { n: 7 });
    },
  },
  {
    name: '_meta of a result',
    async run(world) {
      const { _meta: meta } = await call(world, 'rich');

      assert.equal(meta?.['x.test/k'], 'v');
      assert.equal(meta?.['switchboard/server'], world.server);
    },
  },
  {
    name: '_meta of a request',
    async run(world) {
      const seen = JSON.parse(textOf(await call(world, 'meta', {}, { 'x.test/a': { deep: [1] } })) ?? '');

      assert.deepEqual(seen['x.test/a'], { deep: [1] });
    },
  },
  {
    name: 'isError',
    async run(world) {
      const result = await call(world, 'fail');

      assert.equal(result.isError, true);
      assert.equal(textOf(result), 'told you');
    },
  },
  {
    name: 'progress',
    async run(world) {
      const steps: unknown[] = [];
      const release = `progress-${world.server}`;
      const params = { name: tool(world, 'progress'), arguments: { release } };

      await world.client.mcp.callTool(params, {
        onprogress(progress) {
          steps.push(progress);
          if (steps.length === 3) writeFileSync(join(world.dir, release), '');
        },
      });

      assert.deepEqual(
        steps,
        [1, 2, 3].map((step) => ({ progress: step, total: 3, message: `step ${step}` })),
      );
    },
  },
  {
    name: 'cancellation',
    async run(world) {
      const stop = new AbortController();
      const params = { name: tool(world, 'wait'), arguments: {} };
      const waiting = world.client.mcp.callTool(params, { signal: stop.signal });
      await world.client.until(() => existsSync(join(world.dir, `waiting-${world.server}`)));

      stop.abort();

      await assert.rejects(waiting);
      await world.client.until(() => existsSync(join(world.dir, `cancelled-${world.server}`)));
    },
  },
  {
    name: 'elicitation',
    async run(world) {
      assert.equal(textOf(await call(world, 'elicit')), 'city=Brno');
      assert.equal(world.client.asked('elicitation/create')?.message, 'Which city?');
    },
  },
  {
    name: 'sampling',
    async run(world) {
      assert.equal(textOf(await call(world, 'sample')), 'sampled=hello');
      assert.equal(world.client.asked('sampling/createMessage')?.maxTokens, 5);
    },
  },
  {
    name: 'roots',
    async run(world) {
      assert.equal(textOf(await call(world, 'roots')), 'roots=file:///tmp/x');
    },
  },
  {
    name: 'log messages',
    async run(world) {
      await call(world, 'log', {}, await world.client.wantLog('info'));

      const { level, data } = await world.client.notified('notifications/message', (params) =>
        String(params.data).includes(world.server),
      );
      assert.deepEqual([level, data], ['warning', `log line of ${world.server}`]);
    },
  },
  {
    name: 'resources/list',
    async run({ client, server }) {
      const { resources } = await client.mcp.listResources();

      const readme = resources.find(({ uri }) => uri === `test://${server}/readme`);
      assert.partialDeepStrictEqual(readme, { name: `readme_${server}`, mimeType: 'text/plain', description: 'r' });
    },
  },
  {
    name: 'resources/read',
    async run({ client, server }) {
      const { contents } = await client.mcp.readResource({ uri: `test://${server}/readme` });

      assert.partialDeepStrictEqual(contents[0], { mimeType: 'text/plain', text: `readme of ${server}` });
    },
  },
  {
    name: 'resource templates',
    async run({ client, server }) {
      const { resourceTemplates } = await client.mcp.listResourceTemplates();
      const { contents } = await client.mcp.readResource({ uri: `test://${server}/file/5` });

      assert.ok(resourceTemplates.some(({ uriTemplate }) => uriTemplate === `test://${server}/file/{id}`));
      assert.partialDeepStrictEqual(contents[0], { text: `file 5 of ${server}` });
    },
  },
  {
    name: 'prompts',
    async run(world) {
      const { client, server } = world;
      const { prompts } = await client.mcp.listPrompts();
      const name = tool(world, 'hello');
      const { messages } = await client.mcp.getPrompt({ name, arguments: { who: 'Bob' } });

      const listed = prompts.find((prompt) => prompt.name === name);
      assert.equal(listed?.arguments?.[0]?.name, 'who', server);
      assert.deepEqual(messages[0]?.content, { type: 'text', text: 'Hello Bob' });
    },
  },
  {
    name: 'completion',
    async run(world) {
      const { completion } = await world.client.mcp.complete({
        ref: { type: 'ref/prompt', name: tool(world, 'hello') },
        argument: { name: 'who', value: 'al' },
      });

      assert.deepEqual(completion.values, ['alice', 'albert']);
    },
  },
  {
    name: 'resource updated',
    async run(world) {
      const uri = `test://${world.server}/readme`;
      const end = await world.client.follow({ resourceSubscriptions: [uri] });

      await call(world, 'touch');

      await world.client.notified('notifications/resources/updated', (params) => params.uri === uri);
      await end();
    },
  },
  {
    name: 'instructions',
    async run({ client, server }) {
      assert.match(client.mcp.getInstructions() ?? '', new RegExp(`Instructions of ${server}\\b`));
    },
  },
  {
    name: 'list_changed',
    async run(world) {
      const end = await world.client.follow({ toolsListChanged: true });

      await call(world, 'grow');

      await world.client.notified('notifications/tools/list_changed');
      assert.ok(await definitionOf(world, 'grown'));
      await end();
    },
  },
];
