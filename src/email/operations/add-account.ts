import { resolve } from 'node:path';
import { z } from 'zod';
import { type OperationContext, operation } from '../../operation.ts';
import type { Account } from '../accounts/account.ts';
import { ADDING } from '../accounts/account-dialogs.ts';
import { isAccountId } from '../accounts/account-id.ts';
import type { AccountAdministration } from '../accounts/administration.ts';
import { PRESET_IDS } from '../accounts/presets.ts';
import { DialogInput, DialogOutput, questionOf, stepText, stepView, unknownDialog } from './account-step.ts';

type AddContext = OperationContext & Pick<AccountAdministration, 'accountDialogs' | 'accountsChanged'>;

const host = () =>
  z
    .string()
    .min(1)
    .max(253)
    .regex(/^[^\s/@]+$/, 'must be a name or an address of a server');
const port = () => z.int().min(1).max(65_535);
/** As in the configuration. */
const tls = () => z.enum(['true', 'starttls', 'false']);
const TLS = { true: true, starttls: 'starttls', false: false } as const;

const Input = z.strictObject({
  email: z.string().max(320).optional().describe('Address of the account.'),
  id: z
    .string()
    .refine(isAccountId, 'must be small letters and digits, with - or _ between them')
    .optional()
    .describe('Id of the account; default: the name of its domain.'),
  name: z.string().min(1).max(200).optional().describe('Display name; default: its id.'),
  from_name: z.string().min(1).max(200).optional().describe('Your name in the header From.'),
  provider: z
    .enum(['imap', ...PRESET_IDS])
    .optional()
    .describe('Provider whose servers are known; default: found by the address.'),
  imap_host: host().optional().describe('Server for reading; default: found by the address.'),
  imap_port: port().optional().describe('Its port; default: 993.'),
  imap_tls: tls().optional().describe('Whether TLS or STARTTLS is used; default: by the port.'),
  smtp_host: host().optional().describe('Server for sending; default: found by the address.'),
  smtp_port: port().optional().describe('Its port; default: 465.'),
  smtp_tls: tls().optional().describe('Whether TLS or STARTTLS is used; default: by the port.'),
  receive_only: z.boolean().default(false).describe('Add it without a server for sending.'),
  user: z.string().min(1).max(320).optional().describe('User name; default: the address.'),
  ca: z.string().min(1).optional().meta({ format: 'path', description: 'File with a certificate to trust.' }),
  client_id: z.string().min(1).max(500).optional().describe('Id of your OAuth client, to sign in with OAuth.'),
  oauth_provider: z
    .enum(['google', 'microsoft'])
    .optional()
    .describe('OAuth authority; default: that of the provider.'),
  oauth_issuer: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe('Another OAuth authority.'),
  device: z.boolean().default(false).describe('OAuth with a code to type on any machine, without a browser here.'),
  password: z.string().max(1_000).optional().describe('Password; asked for by default.'),
  client_secret: z.string().max(1_000).optional().describe('Secret of your OAuth client; asked for by default.'),
  ...DialogInput,
});

export const addAccount = operation({
  cli: {
    path: 'email add',
    examples: [
      'switchboard email add',
      'switchboard email add --email alice@example.org --id work',
      'switchboard email add --email alice@example.org --imap-host mail.example.org < password.txt',
    ],
    // Secrets are read from the terminal or standard input, never from the command line.
    omit: ['password', 'client_secret', 'dialog_id', 'answer'],
    question: (_, output) => questionOf(output, (continued) => continued),
  },
  rest: { method: 'POST', path: '/accounts' },
  kind: 'command',
  effect: 'writes',
  right: 'manage',
  confined: false,
  ownerOnly: true,
  deadlineMs: 5 * 60_000,
  description: 'Adds an email account: finds its servers, signs in to them, and saves it if that works.',
  input: Input,
  output: z.object({
    account: z.string().optional(),
    email: z.string().optional(),
    reads_from: z.string().optional(),
    sends_by: z.string().optional(),
    ...DialogOutput,
  }),
  async run(input, context: AddContext) {
    const { accountDialogs, accountsChanged, principal } = context;
    const { dialog_id: id, answer } = input;
    const progress =
      id === undefined
        ? await accountDialogs.add(principal.identity, requestOf(input, context))
        : await accountDialogs.resume(principal.identity, ADDING, id, answer);
    if (!progress) throw unknownDialog('email add');
    if (progress.kind === 'step') return stepView(progress);
    await accountsChanged();
    return view(progress.end);
  },
  render: ({ account, email, reads_from: reads, sends_by: sends, step }) => {
    if (step) return stepText(step);
    const sending = sends === undefined ? 'It cannot send.' : `It sends by ${sends}.`;
    return `Added ${account} (${email}), which reads from ${reads}. ${sending} Its mail is being fetched.`;
  },
});

function requestOf(input: z.output<typeof Input>, { origin }: OperationContext) {
  const { client_id: clientId, oauth_provider: provider, oauth_issuer: issuer, ca } = input;
  return {
    email: input.email,
    id: input.id,
    name: input.name,
    fromName: input.from_name,
    provider: input.provider,
    imap: { host: input.imap_host, port: input.imap_port, tls: input.imap_tls && TLS[input.imap_tls] },
    smtp: { host: input.smtp_host, port: input.smtp_port, tls: input.smtp_tls && TLS[input.smtp_tls] },
    receiveOnly: input.receive_only,
    user: input.user,
    ca: ca === undefined ? undefined : resolve(origin?.cwd ?? '/', ca),
    oauth: { clientId, provider, issuer },
    device: input.device,
    password: input.password,
    clientSecret: input.client_secret,
  };
}

function view({ id, email, imap, smtp }: Account) {
  return {
    account: id,
    email,
    reads_from: `${imap.host}:${imap.port}`,
    ...(smtp ? { sends_by: `${smtp.host}:${smtp.port}` } : {}),
  };
}
