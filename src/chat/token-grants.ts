import { z } from 'zod';
import type { Grant } from '../capability.ts';
import type { FindNamed } from '../domain/chat-entry.ts';
import { isGrant, isWithin, readGrants, sendGrants, withGrantedIds } from '../domain/grants.ts';
import { tokenFacts } from '../domain/principal.ts';
import { formatted } from '../settings.ts';

const inFile = () => z.array(formatted('SOURCE:CHAT, such as ops:#dev, or SOURCE:*', isGrant)).optional();
const option = () =>
  z.array(z.string().max(512).refine(isGrant, 'must be SOURCE:CHAT, such as ops:#dev, or SOURCE:*')).optional();

const CHATS = 'Chats it may read and send to: `SOURCE:ID`, `SOURCE:name:NAME` or `SOURCE:*`. Default: all.';

/** A token can be confined to some chats. */
export const chatGrants: Grant<{ chats?: string[] | undefined; send_chats?: string[] | undefined }> = {
  description: 'The chats that it may read and send to.',
  config: {
    chats: inFile().describe(CHATS),
    send_chats: inFile().describe('Chats it may send to. Default: the same as chats.'),
  },
  options: {
    chats: option().describe(CHATS.replaceAll('`', '')),
    send_chats: option().describe('Chats it may send to. Default: the same as chats.'),
  },
  fields: { chats: z.array(z.string()).optional(), send_chats: z.array(z.string()).optional() },
  read: ({ chats, send_chats: sendChats }) => ({ chats, sendChats }),
  show: ({ chats, sendChats }) => ({ chats, send_chats: sendChats }),
  exceeded({ chats, sendChats = chats }, giver) {
    if (!isWithin(chats, readGrants(giver))) return 'chats';
    return isWithin(sendChats, sendGrants(giver)) ? undefined : 'send_chats';
  },
  summary: ({ chats }) => chats && `only ${chats.join(', ') || 'no chat'}`,
};

/** The same; `find` looks up the chats that are granted by name. */
export function chatGrantsWith(find: FindNamed): typeof chatGrants {
  const withIds = async (list: readonly string[] | undefined) => list && withGrantedIds(list, find);
  return {
    ...chatGrants,
    async resolve({ chats, sendChats }) {
      if (chats === undefined && sendChats === undefined) return undefined;
      return tokenFacts({ chats: await withIds(chats), sendChats: await withIds(sendChats) });
    },
  };
}
