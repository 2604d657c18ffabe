import { mailFoldersFor } from '../mailbox/mail-folders.ts';
import { addToGitignore, withoutIgnore } from '../repository/gitignore.ts';
import { type CommandOutcome, type MailCommand, refuseMoreWords, type World } from './command.ts';
import { CommandFailure, failedTo } from './failure.ts';
import { STDERR, writeAll } from './output.ts';

export const onboard: MailCommand = {
  name: 'onboard',
  summary: 'Print an introduction for an agent',
  usage: '[flags]',
  about: `Prints Markdown that explains agent mail to an agent. Hooks add it to the agent's context when a
session starts. It does not need tmux.

Mail does not belong into a commit: git must ignore .agentmail, and letters in files that git tracks
are not delivered. With --gitignore this adds it to .gitignore instead.`,
  flags: [{ names: ['gitignore'], takes: 'nothing', description: 'Add .agentmail/ to .gitignore' }],
  run: async ({ line, world }) => {
    refuseMoreWords(line.words, 0);
    if (line.has('gitignore')) return ignoreMail(world);
    offerToIgnoreMail(world);
    return { text: INTRODUCTION, json: { text: INTRODUCTION } };
  },
};

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
function offerToIgnoreMail({ origin }: World): void {
  const mailFolders = mailFoldersFor(origin.cwd);
  if (!mailFolders || withoutIgnore(mailFolders).length === 0) return;
  writeAll(
    STDERR,
    "[agentmail] git does not ignore .agentmail here: 'agentmail onboard --gitignore' adds it to .gitignore\n",
  );
}

const INTRODUCTION = `## AgentMail

Other agents work in the other windows of this tmux session. You can write to them and they can write to you.

### Commands

**send** – write to an agent; its name is the name of its window
\`\`\`
agentmail send <recipient> "<message>"
\`\`\`

**receive** – read your oldest unread message; with none it prints \`No unread messages\`
\`\`\`
agentmail receive
\`\`\`

**recipients** – list the agents you can write to; your own window is marked \`[you]\`
\`\`\`
agentmail recipients
\`\`\`
`;
