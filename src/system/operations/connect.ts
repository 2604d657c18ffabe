import { z } from 'zod';
import { ASSISTANTS } from '../../domain/assistant.ts';
import { operation } from '../../operation.ts';
import type { AssistantsPort } from '../assistants-port.ts';

export const connect = operation({
  cli: {
    local: true,
    path: 'connect',
    positionals: ['assistant'],
    examples: ['switchboard connect claude-code', 'switchboard connect codex --only chat,email --print'],
  },
  kind: 'command',
  effect: 'writes',
  right: 'manage',
  idempotent: true,
  description: "Adds Switchboard to an assistant's MCP configuration. What is there stays, and a backup is kept.",
  input: z.strictObject({
    assistant: z.enum(ASSISTANTS).describe('The assistant to connect.'),
    print: z.boolean().default(false).describe('Show the entry and write nothing.'),
    only: z
      .array(z.string().regex(/^[a-z]+$/, 'must be the name of a capability'))
      .default([])
      .describe('Serve only these capabilities.'),
    name: z
      .string()
      .regex(/^[A-Za-z0-9_-]{1,64}$/, 'must be 1 to 64 letters, digits, dashes or underscores')
      .default('switchboard')
      .describe('What the assistant is to call this server.'),
  }),
  output: z.object({
    assistant: z.enum(ASSISTANTS),
    path: z.string(),
    changed: z.boolean(),
    backup: z.string().optional(),
    text: z.string().optional(),
  }),
  async run({ assistant, print, only, name }, { assistants }: { assistants: AssistantsPort }) {
    const connection = { assistant, only, name };
    if (print) return { assistant, changed: false, ...(await assistants.preview(connection)) };
    return { assistant, ...(await assistants.connect(connection)) };
  },
  render: ({ assistant, path, changed, backup, text }) => {
    if (text !== undefined) return text;
    if (!changed) return `${assistant} is connected already: ${path} is as it should be.`;
    const kept = backup === undefined ? '' : ` What it was is in ${backup}.`;
    return `Connected ${assistant} in ${path}.${kept} Start it again to see Switchboard.`;
  },
});
