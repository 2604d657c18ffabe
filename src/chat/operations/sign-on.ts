import { z } from 'zod';
import type { LoginStep } from '../../connectors/connector.ts';
import { AppError } from '../../domain/errors.ts';
import { visible } from '../../lib/visible.ts';
import { type OperationContext, operation } from '../../operation.ts';
import { knownSource } from '../lookup.ts';
import type { SourceRepository } from '../ports.ts';
import { type Accounts, SIGNED_OFF, type Sources, type SourceView } from '../sources.ts';

interface AccountParts {
  sources: Sources;
  sourceRepository: Pick<SourceRepository, 'remember'>;
  accounts: Accounts;
}

type Context = OperationContext & AccountParts;

const input = () => z.strictObject({ source: z.string().describe('Id of the source.') });
const output = () =>
  z.object({ source: z.string(), is_connected: z.boolean(), state: z.string(), problem: z.string().optional() });

export const loginSource = operation({
  cli: {
    path: 'chat login',
    positionals: ['source'],
    examples: ['switchboard chat login libera'],
    failed: ({ is_connected: isConnected }) => !isConnected,
    // An answer may be a password: it is read from the terminal or standard input, never from the command line.
    omit: ['answer'],
    question: (_, { source, step, login_id: id }) =>
      step && {
        text: questionOf(step),
        secret: step.secret === true,
        isAnswered: step.kind === 'ask',
        ...(step.kind === 'show-qr' ? { qrCode: step.data ?? '' } : {}),
        next: (answer) => ({ source, login_id: id, ...(step.kind === 'ask' ? { answer } : {}) }),
      },
  },
  rest: { method: 'POST', path: '/sources/:source/login' },
  kind: 'command',
  effect: 'writes',
  right: 'manage',
  description: 'Connects a source now, also after `chat logout` or a rejected login, and reports the result.',
  input: input().extend({
    login_id: z.string().optional().describe('Continues a sign-in that has asked for something.'),
    answer: z.string().optional().describe('The answer to what it asked for; without one it asks again.'),
  }),
  output: output().extend({
    login_id: z.string().optional(),
    step: z
      .object({
        kind: z.enum(['ask', 'show-qr']),
        field: z.string().optional(),
        label: z.string().optional(),
        secret: z.boolean().optional(),
        data: z.string().optional(),
        expires_at: z.string().optional(),
      })
      .optional()
      .describe('What a person has to do before it goes on: answer a question, or scan a code.'),
  }),
  async run({ source, login_id: loginId, answer }, context: Context) {
    const { state } = await accountOf(source, context);
    const progress = await context.accounts.login(source, { loginId, answer, by: context.principal.identity });
    if (progress.kind === 'done') return sign(source, '', context);
    const notYet = { source, is_connected: false, state };
    if (progress.kind === 'step') return { ...notYet, login_id: progress.loginId, step: stepView(progress.step) };
    context.log.warn({ err: progress.cause, source }, 'a sign-in failed');
    return { ...notYet, problem: progress.reason };
  },
  render: ({ source, is_connected: isConnected, state, step, login_id: id, problem = yetToCome(state) }) => {
    if (step) return `${questionOf(step)} Answer with login_id ${id}.`;
    return isConnected ? `${source} is connected.` : `${source} is not connected. ${problem}`;
  },
});

export const logoutSource = operation({
  cli: { path: 'chat logout', positionals: ['source'], examples: ['switchboard chat logout libera'] },
  rest: { method: 'POST', path: '/sources/:source/logout' },
  kind: 'command',
  effect: 'writes',
  right: 'manage',
  description: 'Disconnects a source until `chat login`, and ends its session on the network. Its messages stay.',
  input: input(),
  output: output().extend({
    not_revoked: z.string().optional().describe('Why the network may still list the session as active.'),
  }),
  async run({ source }, context: Context) {
    const signedOff = await sign(source, 'yes', context);
    const end = await context.accounts.logout(source);
    if (end.kind === 'done') return signedOff;
    context.log.warn({ err: end.cause, source }, 'a session could not be revoked');
    return { ...signedOff, not_revoked: end.reason };
  },
  render: ({ source, not_revoked: notRevoked }) =>
    [`${source} is signed off, and stays so until \`switchboard chat login ${source}\`.`, notRevoked ?? []]
      .flat()
      .join(' '),
});

function yetToCome(state: string): string {
  return state === 'stopped' ? 'It will be as soon as Switchboard runs.' : 'It is still being connected.';
}

interface StepView {
  kind: LoginStep['kind'];
  label?: string | undefined;
  data?: string | undefined;
}

function questionOf({ kind, label = '', data = '' }: StepView): string {
  return kind === 'ask' ? `${visible(label)}:` : `Scan this as a QR code with your phone: ${visible(data)}`;
}

function stepView(step: LoginStep) {
  if (step.kind === 'ask') return step;
  const { kind, data, expiresAt } = step;
  return { kind, data, expires_at: new Date(expiresAt).toISOString() };
}

async function accountOf(id: string, { sources }: Context): Promise<SourceView> {
  const source = await knownSource(sources, id);
  const { state, configuredIn, canStream, problem, howToConnect } = source;
  if (state === 'ready' || configuredIn === 'built-in') {
    throw new AppError(
      'INVALID_PARAMETER',
      `Source '${id}' is not an account of a network, so there is nothing to sign in to.`,
      {
        field: 'source',
      },
    );
  }
  if (!canStream) throw new AppError('SOURCE_NOT_CONNECTED', `${problem} ${howToConnect}`, { field: 'source' });
  return source;
}

async function sign(id: string, off: string, context: Context): Promise<z.input<ReturnType<typeof output>>> {
  const { sources, sourceRepository, accounts } = context;
  await accountOf(id, context);
  await sourceRepository.remember(id, SIGNED_OFF, off);
  await accounts.signedOnOrOff(id);
  const { isConnected, state, problem } = await knownSource(sources, id);
  return { source: id, is_connected: isConnected, state, ...(problem === undefined ? {} : { problem }) };
}
