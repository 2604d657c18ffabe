import { type MailCommand, refuseMoreWords } from './command.ts';

export const onboard: MailCommand = {
  name: 'onboard',
  summary: 'Print an introduction for an agent',
  usage: '',
  about: `Prints Markdown that explains agent mail to an agent. Hooks add it to the agent's context when a
session starts. It does not need tmux.`,
  flags: [],
  run: async ({ line }) => {
    refuseMoreWords(line.words, 0);
    return { text: INTRODUCTION, json: { text: INTRODUCTION } };
  },
};

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
