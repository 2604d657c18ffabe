import { z } from 'zod';
import { AppError } from '../../domain/errors.ts';
import { type OperationContext, operation } from '../../operation.ts';
import type { Account, Accounts } from '../accounts/account.ts';
import type { AccountAdministration } from '../accounts/administration.ts';
import type { MailAccess } from '../accounts/mail-access.ts';
import { DialogInput, DialogOutput, questionOf, stepText, stepView, unknownDialog } from './account-step.ts';

interface SignInContext extends OperationContext, AccountAdministration {
  accounts: Accounts;
  access: Pick<MailAccess, 'forget'>;
}

const account = () => z.string().min(1).max(200).describe('Id, name or address of the account.');

export const loginAccount = operation({
  cli: {
    path: 'email login',
    positionals: ['account'],
    examples: ['switchboard email login work', 'switchboard email login work --device'],
    failed: ({ is_connected: isConnected }) => isConnected === false,
    omit: ['password', 'client_secret', 'dialog_id', 'answer'],
    question: ({ account: wanted }, output) =>
      questionOf(output, (continued) => ({ account: output.account ?? wanted, ...continued })),
  },
  rest: { method: 'POST', path: '/accounts/:account/login' },
  kind: 'command',
  effect: 'writes',
  right: 'manage',
  confined: false,
  ownerOnly: true,
  deadlineMs: 5 * 60_000,
  description: 'Signs in to an account with a new password or with OAuth, and connects it.',
  input: z.strictObject({
    account: account(),
    device: z.boolean().default(false).describe('OAuth with a code to type on any machine, without a browser here.'),
    password: z.string().max(1_000).optional().describe('Password; asked for by default.'),
    client_secret: z.string().max(1_000).optional().describe('Secret of your OAuth client, if it has changed.'),
    ...DialogInput,
  }),
  output: z.object({
    account: z.string(),
    is_connected: z.boolean().optional(),
    problem: z.string().optional(),
    ...DialogOutput,
  }),
  async run(
    { account: wanted, dialog_id: dialogId, answer, device, password, client_secret: clientSecret },
    context: SignInContext,
  ) {
    const { accounts, accountDialogs, principal } = context;
    const found = await accounts.resolve(wanted);
    const { id } = found;
    if (dialogId === undefined && hasPasswordInFile(found)) {
      if (password !== undefined) throw passwordInFile(id);
      return connect(id, context, ' Its password is in config.yaml.');
    }
    const progress =
      dialogId === undefined
        ? await accountDialogs.login(principal.identity, found, { device, password, clientSecret })
        : await accountDialogs.resume(principal.identity, id, dialogId, answer);
    if (!progress) throw unknownDialog(`email login ${id}`);
    if (progress.kind === 'step') return { account: id, ...stepView(progress) };
    return connect(id, context);
  },
  render: ({ account: id, is_connected: isConnected, problem = 'It is still being connected.', step }) => {
    if (step) return stepText(step);
    return isConnected ? `${id} is signed in and connected.` : `${id} is signed in, but not connected. ${problem}`;
  },
});

export const logoutAccount = operation({
  cli: { path: 'email logout', positionals: ['account'], examples: ['switchboard email logout work'] },
  rest: { method: 'POST', path: '/accounts/:account/logout' },
  kind: 'command',
  effect: 'writes',
  right: 'manage',
  confined: false,
  ownerOnly: true,
  description: 'Disconnects an account and deletes its stored password and tokens. Its mail stays.',
  input: z.strictObject({ account: account() }),
  output: z.object({ account: z.string() }),
  async run({ account: wanted }, { accounts, access, connections }: SignInContext) {
    const { id } = await accounts.resolve(wanted);
    await connections.sign(id, 'off');
    await access.forget(id);
    return { account: id };
  },
  render: ({ account: id }) => `${id} is signed off, and stays so until \`switchboard email login ${id}\`.`,
});

async function connect(id: string, { connections }: SignInContext, note = '') {
  await connections.sign(id, 'on');
  const { isConnected, problem } = await connections.state(id);
  return {
    account: id,
    is_connected: isConnected,
    ...(problem === undefined ? {} : { problem: `${problem}${note}` }),
  };
}

function hasPasswordInFile({ settings: { auth } }: Account): boolean {
  return !auth.oauth && auth.password !== undefined;
}

/** What is in the file takes precedence, so another password would never be used. */
function passwordInFile(id: string): AppError {
  return new AppError('CONFLICT', `The password of account ${id} is in config.yaml.`, {
    field: 'account',
    hint: 'Change it there, or remove it there and sign in again.',
  });
}
