import { z } from 'zod';
import { quotedName } from '../../lib/shown-name.ts';
import { operation } from '../../operation.ts';
import type { GrantedAccounts } from '../accounts/granted-accounts.ts';
import { resolveAccount } from '../accounts/resolve-account.ts';
import type { MailStore } from '../ports.ts';

const View = z.object({
  account: z.string(),
  folder: z.string(),
  role: z.string().optional(),
  messages: z.int().describe('Number stored.'),
  unread: z.int().describe('Number of unread ones.'),
});

export const listFolders = operation({
  mcp: { name: 'list_folders', title: 'List mail folders', combinedOnly: true },
  cli: {
    path: 'email folders',
    positionals: ['account'],
    examples: ['switchboard email folders', 'switchboard email folders work'],
    list: {
      key: 'folders',
      columns: ['account', 'folder', 'role', 'messages', 'unread'],
      line: (folder) => asLine(View.parse(folder)),
    },
  },
  rest: { method: 'GET', path: '/folders' },
  kind: 'query',
  effect: 'reads',
  description: 'Lists the folders of email accounts, with how many emails are stored of each.',
  input: z.strictObject({ account: z.string().max(200).optional().describe('Account; default: all.') }),
  output: z.object({ folders: z.array(View) }),
  async run(
    { account: wanted },
    { wholeAccounts, mail }: Pick<GrantedAccounts, 'wholeAccounts'> & { mail: MailStore },
  ) {
    const all = await wholeAccounts.list();
    const chosen = wanted === undefined ? all : [resolveAccount(all, wanted)];
    const folders = await Promise.all(chosen.map(({ id }) => foldersOf(id, mail)));
    return { folders: folders.flat() };
  },
  render: ({ folders }) => folders.map(asLine).join('\n') || 'No folder is known yet.',
});

async function foldersOf(account: string, mail: MailStore): Promise<z.input<typeof View>[]> {
  const [folders, counts] = await Promise.all([mail.folders(account), mail.counts(account)]);
  return folders.map(({ key, path, role }) => {
    const { messages = 0, unread = 0 } = counts.find(({ folder }) => folder === key) ?? {};
    return { account, folder: path, ...(role === undefined ? {} : { role }), messages, unread };
  });
}

function asLine({ account, folder, role, messages, unread }: z.output<typeof View>): string {
  const purpose = role === undefined ? '' : ` (${role})`;
  return `Folder ${quotedName(folder)}${purpose} of ${account}: ${messages} emails stored, ${unread} unread`;
}
