import { z } from 'zod';
import { ASSISTANTS, type Assistant } from '../../domain/assistant.ts';
import { AppError } from '../../domain/errors.ts';
import { isScope } from '../../domain/principal.ts';
import { type OperationContext, operation } from '../../operation.ts';
import type { AssistantsPort } from '../assistants-port.ts';
import { choiceQuestion, chosen } from '../connect-choice.ts';
import { connectText } from '../connect-text.ts';
import { endpointOf, PRINTED_TOKEN, revokeTokens, scopesFor, withNewToken } from '../connect-token.ts';
import type { DaemonPort } from '../daemon-port.ts';

const ChangedFile = z.object({ path: z.string(), changed: z.boolean(), backup: z.string().optional() });

const Input = z.strictObject({
  assistant: z.enum(ASSISTANTS).optional().describe('The assistant to connect; without it, those that are installed.'),
  print: z.boolean().default(false).describe('Print the entry and change nothing.'),
  remove: z.boolean().default(false).describe('Undo what connect has written, and revoke the token.'),
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
  http: z
    .boolean()
    .default(false)
    .describe('Write the HTTP address of the running server, with a token of its own, instead of a command.'),
  scopes: z
    .array(z.string().refine(isScope, 'must be a scope like chat:read'))
    .min(1)
    .optional()
    .describe('With --http: scopes of the token. Default: read, write and send of what is served.'),
  answer: z.string().max(1_000).optional().describe('The answer to the question which of the installed to connect.'),
});

const Done = z.object({
  assistant: z.enum(ASSISTANTS).optional(),
  path: z.string().optional(),
  changed: z.boolean(),
  backup: z.string().optional(),
  /** What the assistant needs besides. */
  notes: z.array(z.string()).optional(),
  agentmail: z.object({ files: z.array(ChangedFile), next: z.string().optional() }).optional(),
  /** Name of the token that was issued. */
  token: z.string().optional(),
  removed: z.object({ files: z.array(ChangedFile), tokens: z.int() }).optional(),
  text: z.string().optional(),
});

const Output = Done.extend({
  found: z
    .array(z.object({ assistant: z.enum(ASSISTANTS), title: z.string(), path: z.string(), connected: z.boolean() }))
    .optional(),
  /** Answers to the question. */
  results: z.array(Done).optional(),
  problem: z.string().optional(),
});

export const connect = operation({
  cli: {
    local: true,
    path: 'connect',
    positionals: ['assistant'],
    omit: ['answer'],
    examples: [
      'switchboard connect',
      'switchboard connect claude-code --agentmail',
      'switchboard connect codex --only chat,agentmail --print',
      'switchboard connect cursor --http --scopes chat:read',
      'switchboard connect cursor --remove',
    ],
    question: (input, output) => choiceQuestion(input, output, connectText),
  },
  kind: 'command',
  effect: 'writes',
  right: 'manage',
  ownerOnly: true,
  idempotent: true,
  description:
    "Adds Switchboard to an assistant's MCP configuration, or removes it. What is there stays, and a backup is kept.",
  input: Input,
  output: Output,
  async run({ assistant, answer, ...asked }, context: OperationContext & Parts) {
    const { assistants, served } = context;
    assertServed(asked.only, served());
    assertOnlyWithHttp(asked);
    const apply = async (one: Assistant) => ({
      assistant: one,
      ...(await (asked.remove ? disconnect : connectOne)({ ...asked, assistant: one }, context)),
    });
    if (assistant !== undefined) return apply(assistant);
    const found = await assistants.find(asked.name);
    if (answer === undefined) return { changed: false, found };
    const choice = chosen(answer, found, asked.remove);
    if ('problem' in choice) return { changed: false, found, problem: choice.problem };
    const results = [];
    for (const one of choice.assistants) results.push(await apply(one));
    const rest = answer.trim() === '' ? {} : { found: await assistants.find(asked.name) };
    return { changed: results.some(({ changed }) => changed), results, ...rest };
  },
  complete: ({ grants }) => ({ input: Input.extend(Object.assign({}, ...grants.map(({ options }) => options))) }),
  render: (output) => [connectText(output), ...nextCommand(output)].join('\n'),
});

/** Where nobody is asked. */
function nextCommand({ found = [], results }: z.output<typeof Output>): string[] {
  return found.length === 0 || results ? [] : ['Connect one: switchboard connect NAME'];
}

interface Parts {
  assistants: AssistantsPort;
  daemon: DaemonPort;
  /** The capabilities that can be served alone. */
  served(): readonly string[];
}

type Asked = Omit<z.output<typeof Input>, 'assistant' | 'answer'> & { assistant: Assistant };

async function connectOne(asked: Asked, { assistants, daemon, signal, served }: OperationContext & Parts) {
  const { print, remove: _, http, scopes, assistant, only, name, agentmail, ...grants } = asked;
  const entry = { assistant, only, name, agentmail };
  if (!http) {
    if (!print) return assistants.connect(entry);
    return { changed: false, ...(await assistants.preview(entry)) };
  }
  const url = await endpointOf(daemon, only);
  const withToken = (token: string) => ({ ...entry, http: { url, token } });
  if (print) return { changed: false, ...(await assistants.preview(withToken(PRINTED_TOKEN))) };
  await assistants.check(withToken(PRINTED_TOKEN));
  const rights = { scopes: scopes ?? scopesFor(only, served()), ...grants };
  const { isFirstToken, notes, ...done } = await withNewToken(daemon, entry, rights, signal, (token) =>
    assistants.connect(withToken(token)),
  );
  return { ...done, notes: [...notes, ...(isFirstToken ? [FIRST_TOKEN] : [])] };
}

const FIRST_TOKEN = 'It is the first token: from now on HTTP requires one of every client.';

async function disconnect(asked: Asked, { assistants, daemon, signal }: OperationContext & Parts) {
  const { assistant, name } = asked;
  const agentmail = asked.agentmail || name === 'switchboard';
  const { files, hadToken, ...done } = await assistants.remove({ assistant, name, agentmail });
  // A daemon is not started only to find that there is no token.
  const mayHaveTokens = hadToken || (await daemon.status()).running;
  const tokens = mayHaveTokens ? await revokeTokens(daemon, { assistant, name }, signal) : 0;
  return { ...done, removed: { files, tokens } };
}

/** An assistant reports little about an entry that cannot be started. */
function assertServed(only: readonly string[], served: readonly string[]): void {
  const unknown = only.find((name) => !served.includes(name));
  if (unknown === undefined) return;
  const words = `There is no capability '${unknown}'. Valid: ${served.join(', ')}.`;
  throw new AppError('VALIDATION_ERROR', words, { field: 'only' });
}

/** An entry without a token cannot be confined: it has the rights of the user. */
function assertOnlyWithHttp({
  http,
  print: _,
  remove,
  agentmail: __,
  only: ___,
  name: ____,
  ...limits
}: Omit<Asked, 'assistant'>) {
  const [given] = Object.entries(limits).find(([, value]) => value !== undefined) ?? [];
  if (http && remove)
    throw new AppError('VALIDATION_ERROR', 'To remove an entry, leave out --http.', { field: 'http' });
  if (http || given === undefined) return;
  throw new AppError('VALIDATION_ERROR', 'Only an entry with a token can be confined.', {
    field: given,
    hint: 'Add --http.',
  });
}
