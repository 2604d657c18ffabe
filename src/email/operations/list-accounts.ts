import { z } from 'zod';
import { quotedName } from '../../lib/shown-name.ts';
import { operation } from '../../operation.ts';
import type { Accounts } from '../accounts/account.ts';

const View = z.object({
  id: z.string(),
  name: z.string(),
  email: z.string(),
  provider: z.string(),
  configured_in: z.enum(['file', 'store']),
  can_send: z.boolean(),
});

export const listAccounts = operation({
  mcp: { name: 'list_accounts', title: 'List the email accounts' },
  cli: {
    path: 'email accounts',
    examples: ['switchboard email accounts', 'switchboard email accounts --json'],
    list: {
      key: 'accounts',
      columns: ['id', 'name', 'email', 'provider', 'configured_in'],
      line: (account) => asLine(View.parse(account)),
      notes: ({ accounts }) => (Array.isArray(accounts) && accounts.length > 0 ? [] : [HOW_TO_ADD]),
    },
  },
  rest: { method: 'GET', path: '/accounts' },
  kind: 'query',
  effect: 'reads',
  description: 'Lists the email accounts.',
  input: z.strictObject({}),
  output: z.object({ accounts: z.array(View) }),
  async run(_, { accounts }: { accounts: Pick<Accounts, 'list'> }) {
    const list = await accounts.list();
    return {
      accounts: list.map(({ id, name, email, provider, configuredIn, smtp }) => ({
        id,
        name,
        email,
        provider,
        configured_in: configuredIn,
        can_send: smtp !== undefined,
      })),
    };
  },
  render: ({ accounts }) => accounts.map(asLine).join('\n') || 'No email account is configured.',
});

const HOW_TO_ADD = 'Add one with `switchboard email add`, or to `accounts` in config.yaml.';

function asLine({ id, name, email, provider, can_send: canSend }: z.output<typeof View>): string {
  const named = name === id ? '' : ` ${quotedName(name)}`;
  return `${id}${named} ${email} (${provider}${canSend ? '' : ', cannot send'})`;
}
