import { z } from 'zod';
import { ASSISTANTS } from '../../domain/assistant.ts';
import { AppError } from '../../domain/errors.ts';
import { operation } from '../../operation.ts';
import type { AssistantsPort } from '../assistants-port.ts';

export const connect = operation({
  cli: {
    local: true,
    path: 'connect',
    positionals: ['assistant'],
    examples: [
      'switchboard connect claude-code --agentmail',
      'switchboard connect codex --only chat,agentmail --print',
    ],
  },
  kind: 'command',
  effect: 'writes',
  right: 'manage',
  ownerOnly: true,
  idempotent: true,
  description: "Adds Switchboard to an assistant's MCP configuration. What is there stays, and a backup is kept.",
  input: z.strictObject({
    assistant: z.enum(ASSISTANTS).describe('The assistant to connect.'),
    print: z.boolean().default(false).describe('Print the entry and change nothing.'),
    agentmail: z
      .boolean()
      .default(false)
      .describe('Also set up agent mail: hooks that report its status and deliver its mail.'),
    only: z
      .array(z.string().regex(/^[a-z]+$/, 'must be the name of a capability'))
      .default([])
      .describe('Serve only these capabilities.'),
    name: z
      .string()
      .regex(/^[A-Za-z0-9_-]{1,64}$/, 'must be 1 to 64 letters, digits, dashes or underscores')
      .default('switchboard')
      .describe('Name of the entry in the assistant.'),
  }),
  output: z.object({
    assistant: z.enum(ASSISTANTS),
    path: z.string(),
    changed: z.boolean(),
    backup: z.string().optional(),
    agentmail: z
      .object({
        files: z.array(z.object({ path: z.string(), changed: z.boolean(), backup: z.string().optional() })),
        next: z.string().optional(),
      })
      .optional(),
    text: z.string().optional(),
  }),
  async run({ assistant, print, only, name, agentmail }, { assistants, served }: Parts) {
    assertServed(only, served());
    const connection = { assistant, only, name, agentmail };
    if (print) return { assistant, changed: false, ...(await assistants.preview(connection)) };
    return { assistant, ...(await assistants.connect(connection)) };
  },
  render: ({ assistant, path, changed, backup, agentmail, text }) => {
    if (text !== undefined) return text;
    const written = [{ path, changed, backup }, ...(agentmail?.files ?? [])].filter((file) => file.changed);
    if (written.length === 0)
      return [`${assistant} is connected already: ${path} is as it should be.`, ...asLine(agentmail?.next)].join('\n');
    const [first, ...others] = written;
    const lines = [`Connected ${assistant} in ${first && pathText(first)} Start it again to see Switchboard.`];
    return [...lines, ...others.map((file) => `Also written: ${pathText(file)}`), ...asLine(agentmail?.next)].join(
      '\n',
    );
  },
});

interface Parts {
  assistants: AssistantsPort;
  /** The capabilities that can be served alone. */
  served(): readonly string[];
}

/** An assistant reports little about an entry that cannot be started. */
function assertServed(only: readonly string[], served: readonly string[]): void {
  const unknown = only.find((name) => !served.includes(name));
  if (unknown === undefined) return;
  const words = `There is no capability '${unknown}'. Valid: ${served.join(', ')}.`;
  throw new AppError('VALIDATION_ERROR', words, { field: 'only' });
}

function pathText({ path, backup }: { path: string; backup?: string | undefined }): string {
  return `${path}.${backup === undefined ? '' : ` What it was is in ${backup}.`}`;
}

function asLine(text: string | undefined): string[] {
  return text === undefined ? [] : [text];
}
