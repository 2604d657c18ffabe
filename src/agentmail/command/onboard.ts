import { mailFoldersFor } from '../mailbox/mail-folders.ts';
import { addToGitignore, withoutIgnore } from '../repository/gitignore.ts';
import { type CommandOutcome, type MailCommand, refuseMoreWords, tmuxLocationIn, type World } from './command.ts';
import { CommandFailure, failedTo } from './failure.ts';
import { STDERR, writeAll } from './output.ts';
import { ownName } from './own-name.ts';

export const onboard: MailCommand = {
  name: 'onboard',
  summary: 'Print an introduction for an agent',
  usage: '[flags]',
  about: `Prints Markdown that explains agent mail to an agent. Hooks add it to the agent's context when a
session starts. It does not need tmux; with --hook it prints nothing where there is no agent mail:
outside tmux, and outside a repository.

Mail does not belong into a commit: git must ignore .agentmail, and letters in files that git tracks
are not delivered. With --gitignore this adds it to .gitignore instead.`,
  flags: [
    { names: ['gitignore'], takes: 'nothing', description: 'Add .agentmail/ to .gitignore' },
    { names: ['hook'], takes: 'nothing', description: 'For hooks of assistants' },
  ],
  run: async ({ line, world }) => {
    refuseMoreWords(line.words, 0);
    if (line.has('gitignore')) return ignoreMail(world);
    if (line.has('hook') && !(await hasMail(world))) return {};
    offerToIgnoreMail(world);
    const text = introduction(ownName(world));
    return { text, json: { text } };
  },
};

async function hasMail(world: World): Promise<boolean> {
  const where = await tmuxLocationIn(world).catch(() => undefined);
  return where?.kind === 'inside' && mailFoldersFor(world.origin.cwd) !== undefined;
}

function ignoreMail({ origin }: World): CommandOutcome {
  const mailFolders = mailFoldersFor(origin.cwd);
  if (!mailFolders) throw new CommandFailure('NO_AGENT_IDENTITY', 'not in a git repository: not in a git repository');
  try {
    const roots = withoutIgnore(mailFolders);
    roots.forEach(addToGitignore);
    const text = roots.map((root) => `Added .agentmail/ to ${root}/.gitignore\n`).join('');
    return { text: text || '.agentmail is in .gitignore already\n', json: { changed: roots } };
  } catch (thrown) {
    throw failedTo('change .gitignore', thrown);
  }
}

/** On standard error: the introduction goes into the context of an agent. */
function offerToIgnoreMail(world: World): void {
  const mailFolders = mailFoldersFor(world.origin.cwd);
  if (!mailFolders || withoutIgnore(mailFolders).length === 0) return;
  writeAll(
    STDERR,
    `[agentmail] git does not ignore .agentmail here: '${ownName(world)} onboard --gitignore' adds it to .gitignore\n`,
  );
}

function introduction(agentmail: string): string {
  return `## AgentMail

Other agents work in the other windows of this tmux session. You can write to them and they can write to you.

### Commands

**send** – write to an agent; its name is the name of its window
\`\`\`
${agentmail} send <recipient> "<message>"
\`\`\`

**receive** – read your oldest unread message; with none it prints \`No unread messages\`
\`\`\`
${agentmail} receive
\`\`\`

**recipients** – list the agents you can write to; your own window is marked \`[you]\`
\`\`\`
${agentmail} recipients
\`\`\`
`;
}
