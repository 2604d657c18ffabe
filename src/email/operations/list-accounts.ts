import { z } from 'zod';
import { quotedName } from '../../lib/shown-name.ts';
import { operation } from '../../operation.ts';
import type { Account, Accounts } from '../accounts/account.ts';
import type { AccountAdministration } from '../accounts/administration.ts';

const View = z.object({
  id: z.string(),
  name: z.string(),
  email: z.string(),
  provider: z.string(),
  configured_in: z.enum(['file', 'store']),
  can_send: z.boolean(),
  is_connected: z.boolean(),
  problem: z.string().optional(),
});

interface ListContext {
  accounts: Pick<Accounts, 'list'>;
  connections: Pick<AccountAdministration['connections'], 'state'>;
}

const Output = z.object({ accounts: z.array(View) });

export const listAccounts = operation({
  mcp: { name: 'list_accounts', title: 'List the email accounts', structured: compact },
  cli: {
    path: 'email accounts',
    examples: ['switchboard email accounts', 'switchboard email accounts --json'],
    list: {
      key: 'accounts',
      columns: ['id', 'name', 'email', 'provider', 'configured_in', 'connected'],
      row: (account) => ({ ...account, connected: account.is_connected }),
      line: (account) => asLine(View.parse(account)),
      notes: (output) => notesOn(Output.parse(output)),
    },
  },
  rest: { method: 'GET', path: '/accounts' },
  kind: 'query',
  effect: 'reads',
  description: 'Lists the email accounts.',
  input: z.strictObject({}),
  output: Output,
  async run(_, { accounts, connections }: ListContext) {
    const list = await accounts.list();
    return { accounts: await Promise.all(list.map(async (each) => view(each, await connections.state(each.id)))) };
  },
  render: ({ accounts }) => accounts.map(asLine).join('\n') || 'No email account is configured.',
});

const HOW_TO_ADD = 'Add one with `switchboard email add`, or to `accounts` in config.yaml.';

type State = Awaited<ReturnType<ListContext['connections']['state']>>;

function view({ id, name, email, provider, configuredIn, smtp }: Account, { isConnected, problem }: State) {
  return {
    id,
    name,
    email,
    provider,
    configured_in: configuredIn,
    can_send: smtp !== undefined,
    is_connected: isConnected,
    ...(problem === undefined ? {} : { problem }),
  };
}

/** Shown below the table, because a column would truncate them; without any account, how to add one. */
function notesOn({ accounts }: z.output<typeof Output>): string[] {
  if (accounts.length === 0) return [HOW_TO_ADD];
  return accounts.flatMap(({ id, problem }) => (problem === undefined ? [] : [`${id}: ${problem}`]));
}

/** Over MCP: without where most accounts are configured. */
function compact({ accounts }: z.output<typeof Output>) {
  return {
    accounts: accounts.map(({ configured_in: where, ...account }) =>
      where === 'file' ? account : { ...account, configured_in: where },
    ),
  };
}

function asLine({ id, name, email, provider, ...account }: z.output<typeof View>): string {
  const named = name === id ? '' : ` ${quotedName(name)}`;
  const sending = account.can_send ? 'can send' : 'cannot send';
  const where = account.configured_in === 'file' ? 'in the configuration file' : 'added by a command';
  const connection = account.is_connected
    ? 'connected'
    : `not connected${account.problem === undefined ? '' : `. ${account.problem}`}`;
  return `${id}${named} ${email} (${provider}, ${sending}, ${where}): ${connection}`;
}
