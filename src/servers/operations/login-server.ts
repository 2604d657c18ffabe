import { z } from 'zod';
import { AppError } from '../../domain/errors.ts';
import { visible } from '../../lib/visible.ts';
import { type CliQuestion, type OperationContext, operation } from '../../operation.ts';
import type { LoginProgress } from '../oauth/login-dialogs.ts';
import type { OAuthServer } from '../oauth/oauth-server.ts';
import type { ManagedServer } from '../supervisor/managed-server.ts';
import { ServerRef, type ServersContext } from './server-view.ts';

const Step = z.object({
  kind: z.enum(['ask', 'open']),
  field: z.string().optional(),
  label: z.string().optional(),
  secret: z.boolean().optional(),
  url: z.string().optional(),
  code: z.string().optional(),
});

const Output = z.object({
  id: z.string(),
  state: z.enum(['connected', 'waiting']),
  issuer: z.string().optional(),
  scopes: z.array(z.string()).optional(),
  dialog_id: z.string().optional(),
  step: Step.optional().describe('What a person has to do: open a page in a browser, or answer a question.'),
});

export const loginServer = operation({
  cli: {
    path: 'servers login',
    positionals: ['id'],
    omit: ['dialog_id', 'answer'],
    examples: ['switchboard servers login github', 'switchboard servers login github --no-browser'],
    question: ({ id, browser }, output) => questionOf(output, { id, browser }),
  },
  rest: { method: 'POST', path: '/servers/:id/login' },
  kind: 'command',
  effect: 'writes',
  right: 'manage',
  deadlineMs: 5 * 60_000,
  description:
    'Signs in to a remote MCP server with OAuth: in the browser, or with a code or an address on another machine.',
  input: z.strictObject({
    id: ServerRef,
    browser: z.boolean().default(true).describe('Whether the page is opened in a browser on this machine.'),
    dialog_id: z.string().max(100).optional().describe('Continues a login that waits for something.'),
    answer: z.string().max(20_000).optional().describe('The answer to its question.'),
  }),
  output: Output,
  async run({ id, browser, dialog_id: dialog, answer }, context: OperationContext & ServersContext) {
    const { servers, logins, principal } = context;
    const server = await servers.find(id);
    const by = principal.identity;
    const progress =
      dialog === undefined
        ? await logins.begin(by, oauthServer(server), { openBrowser: browser })
        : await logins.resume(by, server.id, dialog, answer);
    if (!progress) {
      throw new AppError('NOT_FOUND', 'This login is over.', {
        hint: `Begin again: switchboard servers login ${server.id}`,
      });
    }
    if (progress.kind === 'end') server.reset();
    return view(server.id, progress);
  },
  render: ({ id, step, issuer }) => (step ? stepText(step) : `Signed in to ${id} by ${issuer}.`),
});

export const logoutServer = operation({
  cli: { path: 'servers logout', positionals: ['id'] },
  rest: { method: 'POST', path: '/servers/:id/logout' },
  kind: 'command',
  effect: 'writes',
  right: 'manage',
  description: 'Signs out of a remote MCP server: its tokens are revoked where possible, and deleted.',
  input: z.strictObject({ id: ServerRef }),
  output: z.object({ id: z.string(), is_revoked: z.boolean() }),
  async run({ id }, { servers, logins }: ServersContext) {
    const server = await servers.find(id);
    const { isRevoked } = await logins.logout(oauthServer(server));
    if (server.state().state === 'running') await server.stop(false);
    return { id: server.id, is_revoked: isRevoked };
  },
  render: ({ id, is_revoked: isRevoked }) =>
    `Signed out of ${id}.${isRevoked ? '' : ' Its tokens could not be revoked there, and are deleted here.'}`,
});

function oauthServer(server: ManagedServer): OAuthServer {
  const { id, transport, auth } = server.config();
  if ('url' in transport && auth.type === 'oauth') return { id, url: transport.url, auth };
  throw new AppError('CONFLICT', `Server '${server.config().name}' does not sign in with OAuth.`, {
    hint: `Change that: switchboard servers update ${server.id} --oauth`,
  });
}

function view(id: string, progress: LoginProgress): z.input<typeof Output> {
  if (progress.kind === 'step') return { id, state: 'waiting', dialog_id: progress.id, step: progress.step };
  return { id, state: 'connected', issuer: progress.end.issuer, scopes: [...progress.end.scopes] };
}

function questionOf(
  { dialog_id: dialog, step }: z.output<typeof Output>,
  input: { id: string; browser: boolean },
): CliQuestion<{ id: string; browser: boolean; dialog_id: string; answer?: string }> | undefined {
  if (!step || dialog === undefined) return undefined;
  const isAnswered = step.kind === 'ask';
  return {
    text: stepText(step),
    secret: step.secret === true,
    isAnswered,
    next: (answer) => ({ ...input, dialog_id: dialog, ...(isAnswered ? { answer } : {}) }),
  };
}

function stepText({ kind, label = '', url = '', code }: z.output<typeof Step>): string {
  const typed = code === undefined ? '' : ` and type the code ${visible(code)}`;
  const open = `Open ${visible(url)}${typed}`;
  return kind === 'ask' ? `${open}\n${visible(label)}:` : open;
}
