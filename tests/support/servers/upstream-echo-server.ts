import { McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';

export interface EchoOptions {
  name: string;
  /** How many tools it has besides the three that do something. */
  tools?: number;
}

const text = (value: string) => ({ content: [{ type: 'text' as const, text: value }] });

/** A server whose tools have its name in theirs: `echo_NAME`, `sleep_NAME`, `pid_NAME`, `extra_NAME_0` … */
export function createEchoServer({ name, tools = 0 }: EchoOptions): McpServer {
  const server = new McpServer({ name: `echo-${name}`, version: '1.0.0' });
  server.registerTool(
    `echo_${name}`,
    { description: 'Returns the text it was given', inputSchema: z.object({ text: z.string() }) },
    async ({ text: given }) => text(given),
  );
  server.registerTool(
    `sleep_${name}`,
    { description: 'Answers after so many milliseconds', inputSchema: z.object({ ms: z.number() }) },
    async ({ ms }) => {
      await new Promise((resolve) => setTimeout(resolve, ms));
      return text(`slept ${ms}`);
    },
  );
  server.registerTool(
    `pid_${name}`,
    { description: 'The process id of the server', inputSchema: z.object({}) },
    async () => text(String(process.pid)),
  );
  for (let number = 0; number < tools; number++) {
    server.registerTool(
      `extra_${name}_${number}`,
      {
        description: `Extra tool number ${number}`,
        inputSchema: z.object({ a: z.string().optional(), b: z.number().optional() }),
      },
      async () => text(String(number)),
    );
  }
  return server;
}
