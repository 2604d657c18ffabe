import type { ReadChat } from '../domain/read-chats.ts';
import { AGENTMAIL } from './indexer/letter-message.ts';
import type { AgentmailParts, IndexParts } from './operations/parts.ts';

/**
 * The parts for one call: they note whose letters it gets, before it gets them. The user's letters count, too: who wrote a
 * letter is only what its file states.
 */
export function notingLetters(
  parts: AgentmailParts & IndexParts,
  note: (chats: readonly Omit<ReadChat, 'at'>[]) => Promise<void>,
): AgentmailParts & IndexParts {
  const { post, index } = parts;
  const noteLetters = (letters: readonly { from: string }[]) =>
    note([...new Set(letters.map(({ from }) => from))].map((name) => ({ source: AGENTMAIL, chat: name, name })));

  return {
    ...parts,
    post: {
      send: (...args) => post.send(...args),
      recipients: (...args) => post.recipients(...args),
      setStatus: (...args) => post.setStatus(...args),
      async take(at) {
        const taken = await post.take(at);
        try {
          if (taken) await noteLetters([taken.letter]);
        } catch (error) {
          await taken?.release();
          throw error;
        }
        return taken;
      },
    },
    index: {
      add: (...args) => index.add(...args),
      record: (...args) => index.record(...args),
      link: (...args) => index.link(...args),
      mark: (path) => index.mark(path),
      count: () => index.count(),
      clearMarks: () => index.clearMarks(),
      copyFormerLetters: () => index.copyFormerLetters(),
      async find(filter) {
        const page = await index.find(filter);
        await noteLetters(page.letters);
        return page;
      },
      async thread(id) {
        const letters = await index.thread(id);
        await noteLetters(letters);
        return letters;
      },
    },
  };
}
