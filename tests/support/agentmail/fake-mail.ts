import type { AgentContext } from '../../../src/agentmail/agent.ts';
import type { LeasedLetter } from '../../../src/agentmail/delivery/post.ts';
import type { AgentmailParts } from '../../../src/agentmail/operations/parts.ts';
import type { IndexedLetter } from '../../../src/agentmail/ports.ts';
import { manualClock } from '../manual-clock.ts';

const MAIN = '/repo/.agentmail';

/** Agent mail in memory: `a1` is the caller, `a2` exists too. */
export function fakeMail(letters: readonly { id: string; from: string; message: string; createdAt?: string }[] = []) {
  const said: string[] = [];
  const recorded: [string, IndexedLetter][] = [];
  const unread = [...letters];
  const at: AgentContext = {
    me: { name: 'a1', isCurrent: true },
    peers: [
      { name: 'a1', isCurrent: true },
      { name: 'a2', isCurrent: false },
    ],
    ignored: new Set(),
    mailFolders: { main: MAIN, read: [MAIN], forFolder: () => MAIN },
  };
  const take = async (): Promise<LeasedLetter | undefined> => {
    const letter = unread.shift();
    if (!letter) return undefined;
    return {
      letter: { ...letter, to: 'a1', isRead: false },
      remaining: unread.length,
      done: async () => void said.push(`read ${letter.id}`),
      unlock() {},
      release: async () => void said.push(`put back ${letter.id}`),
    };
  };
  const parts = {
    identities: { of: async () => at },
    post: {
      async send(_: AgentContext, to: string, message: string) {
        said.push(`to ${to}: ${message}`);
        return { id: 'Z1GQ4oET', to, state: 'stored' as const };
      },
      take,
      recipients: async () => [
        { name: 'a1', isCurrent: true, status: 'work' as const },
        { name: 'a2', isCurrent: false },
      ],
      setStatus: async (_: AgentContext, status: string) => void said.push(`is ${status}`),
    },
    index: {
      record: async (letter: IndexedLetter, passed: string) => void recorded.push([passed, letter]),
    } as unknown as AgentmailParts['index'],
    clock: manualClock(),
  } satisfies AgentmailParts;
  return { parts, said, recorded, at };
}
