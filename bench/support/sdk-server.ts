import { McpServer } from '@modelcontextprotocol/server';
import { thirtyTools } from './tool-definitions.ts';

const tools = thirtyTools();

/** The peer: the same tools, registered as the SDK's documentation describes. */
export function createSdkServer(): McpServer {
  const server = new McpServer({ name: 'sdk-alone', version: '1.0.0' });
  for (const { name, description, effect, input, output, run, render } of tools) {
    const readOnlyHint = effect === 'reads';
    server.registerTool(
      name,
      { description, inputSchema: input, outputSchema: output, annotations: { readOnlyHint } },
      async (args) => {
        const structuredContent = run(args as Record<string, unknown>);
        return { content: [{ type: 'text', text: render(structuredContent) }], structuredContent };
      },
    );
  }
  return server;
}
