import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { acceptedContent, completable, inputRequired, McpServer, ResourceTemplate } from '@modelcontextprotocol/server';
import { z } from 'zod';

export interface FeaturesOptions {
  name: string;
  /** Where `wait_NAME` writes the file `waiting-NAME`, and `cancelled-NAME` when it is cancelled. */
  dir: string;
  /** Notifies of a change where the server object itself cannot: without sessions over HTTP. */
  notify?: { toolsChanged(): void; resourceUpdated(uri: string): void };
  /** Whether `grow_NAME` was called before, where each request has its own server object. */
  isGrown?: boolean;
}

const text = (value: string) => ({ content: [{ type: 'text' as const, text: value }] });
const Answer = z.object({ city: z.string() });
const NOTHING = z.object({});
/** The name of a file in `dir`: the tool returns when it exists. */
const Release = z.object({ release: z.string().optional() });

/** A server that uses every part of MCP that a gateway may lose. */
export function createFeaturesServer({ name, dir, notify, isGrown }: FeaturesOptions): McpServer {
  const server = new McpServer(
    { name: `features-${name}`, version: '1.2.3' },
    {
      capabilities: {
        logging: {},
        tools: { listChanged: true },
        resources: { subscribe: true, listChanged: true },
        prompts: { listChanged: true },
      },
      instructions: `Instructions of ${name}`,
    },
  );

  server.registerTool(
    `echo_${name}`,
    {
      title: 'Echo Title',
      description: 'echo',
      inputSchema: z.object({ text: z.string() }),
      annotations: { readOnlyHint: true, title: 'Echo' },
    },
    async ({ text: given }) => text(given),
  );
  server.registerTool(`progress_${name}`, { description: 'progress', inputSchema: Release }, async (given, context) => {
    const { mcpReq } = context;
    const token = mcpReq._meta?.progressToken;
    for (let step = 1; step <= 3 && token !== undefined; step++) {
      await mcpReq.notify({
        method: 'notifications/progress',
        params: { progressToken: token, progress: step, total: 3, message: `step ${step}` },
      });
    }
    // Clients of the SDK drop progress that arrives in the same chunk as the result.
    if (given.release !== undefined) await fileExists(join(dir, given.release));
    return text(token === undefined ? 'no token' : 'done');
  });
  server.registerTool(`wait_${name}`, { description: 'wait', inputSchema: NOTHING }, async (_, { mcpReq }) => {
    writeFileSync(join(dir, `waiting-${name}`), 'yes');
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, 60_000);
      mcpReq.signal.addEventListener('abort', () => {
        clearTimeout(timer);
        writeFileSync(join(dir, `cancelled-${name}`), 'yes');
        resolve();
      });
    });
    return text('waited');
  });
  server.registerTool(`elicit_${name}`, { description: 'elicit', inputSchema: NOTHING }, async (_, { mcpReq }) => {
    const answer = acceptedContent(mcpReq.inputResponses, 'q', Answer);
    if (answer) return text(`city=${answer.city}`);
    const question = inputRequired.elicit({ message: 'Which city?', requestedSchema: Answer });
    return inputRequired({ inputRequests: { q: question } });
  });
  server.registerTool(`sample_${name}`, { description: 'sample', inputSchema: NOTHING }, async (_, { mcpReq }) => {
    const answer = mcpReq.inputResponses?.m as { content?: { text?: string } } | undefined;
    if (answer) return text(`sampled=${answer.content?.text}`);
    const messages = [{ role: 'user' as const, content: { type: 'text' as const, text: 'hi' } }];
    return inputRequired({ inputRequests: { m: inputRequired.createMessage({ maxTokens: 5, messages }) } });
  });
  server.registerTool(`roots_${name}`, { description: 'roots', inputSchema: NOTHING }, async (_, { mcpReq }) => {
    const answer = mcpReq.inputResponses?.r as { roots?: { uri: string }[] } | undefined;
    if (answer) return text(`roots=${answer.roots?.[0]?.uri}`);
    return inputRequired({ inputRequests: { r: inputRequired.listRoots() } });
  });
  server.registerTool(`log_${name}`, { description: 'log', inputSchema: NOTHING }, async (_, { mcpReq }) => {
    await mcpReq.log('warning', `log line of ${name}`);
    return text('logged');
  });
  server.registerTool(`grow_${name}`, { description: 'grow', inputSchema: NOTHING }, async () => {
    if (notify) notify.toolsChanged();
    else grow();
    return text('grown');
  });
  const grow = () => server.registerTool(`grown_${name}`, { description: 'grown' }, async () => text('grown'));
  if (isGrown) grow();
  server.registerTool(`fail_${name}`, { description: 'fail', inputSchema: NOTHING }, async () => ({
    isError: true,
    ...text('told you'),
  }));
  server.registerTool(
    `rich_${name}`,
    { description: 'rich', inputSchema: NOTHING, outputSchema: z.object({ n: z.number() }) },
    async () => ({
      content: [
        { type: 'text', text: 't' },
        { type: 'image', data: 'aGk=', mimeType: 'image/png' },
        { type: 'resource_link', uri: `test://${name}/readme`, name: 'readme' },
      ],
      structuredContent: { n: 7 },
      _meta: { 'x.test/k': 'v' },
    }),
  );
  server.registerTool(`meta_${name}`, { description: 'meta', inputSchema: NOTHING }, async (_, { mcpReq }) =>
    text(JSON.stringify(mcpReq._meta ?? {})),
  );
  server.registerTool(`media_${name}`, { description: 'media', inputSchema: NOTHING }, async () => ({
    content: [
      { type: 'image', data: 'aGk=', mimeType: 'image/png' },
      { type: 'audio', data: 'aGk=', mimeType: 'audio/wav' },
      { type: 'resource_link', uri: `test://${name}/readme`, name: 'readme' },
    ],
  }));
  server.registerTool(`pid_${name}`, { description: 'pid', inputSchema: NOTHING }, async () =>
    text(String(process.pid)),
  );
  server.registerTool(`touch_${name}`, { description: 'touch', inputSchema: NOTHING }, async () => {
    const uri = `test://${name}/readme`;
    if (notify) notify.resourceUpdated(uri);
    else await server.server.sendResourceUpdated({ uri });
    return text('touched');
  });

  server.registerResource(
    `readme_${name}`,
    `test://${name}/readme`,
    { description: 'r', mimeType: 'text/plain' },
    async (uri) => ({ contents: [{ uri: uri.href, mimeType: 'text/plain', text: `readme of ${name}` }] }),
  );
  server.registerResource(
    `file_${name}`,
    new ResourceTemplate(`test://${name}/file/{id}`, { list: undefined }),
    { description: 't' },
    async (uri, { id }) => ({ contents: [{ uri: uri.href, text: `file ${id} of ${name}` }] }),
  );
  const who = completable(z.string(), (typed) => ['alice', 'albert', 'bob'].filter((each) => each.startsWith(typed)));
  server.registerPrompt(`hello_${name}`, { description: 'p', argsSchema: z.object({ who }) }, ({ who: given }) => ({
    messages: [{ role: 'user', content: { type: 'text', text: `Hello ${given}` } }],
  }));
  server.server.setRequestHandler('resources/subscribe', async () => ({}));
  server.server.setRequestHandler('resources/unsubscribe', async () => ({}));
  return server;
}

async function fileExists(path: string): Promise<void> {
  while (!existsSync(path)) await sleep(5);
}
