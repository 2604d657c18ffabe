import type { GroupMetadata } from 'baileys';
import type { InboundChat } from '../../domain/chat.ts';
import type { People } from './people.ts';

/** Groups that the user is in, with their members. */
export function createGroups(people: People) {
  const known = new Map<string, GroupMetadata>();
  const admins = new Map<string, ReadonlySet<string>>();

  return {
    learn(group: GroupMetadata): InboundChat {
      known.set(group.id, group);
      const ids = group.participants.filter(({ admin }) => admin).map(({ id }) => people.idOf(id) ?? id);
      admins.set(group.id, new Set(ids));
      return {
        id: group.id,
        type: 'group',
        ...(group.subject ? { name: group.subject } : {}),
        participantCount: group.size ?? group.participants.length,
      };
    },
    /** The members have changed: the library asks the server for them when it sends. */
    forgetMembers: (id: string) => void known.delete(id),
    get: (id: string) => known.get(id),
    isAdmin: (group: string, person: string) => admins.get(group)?.has(person) === true,
  };
}

export type Groups = ReturnType<typeof createGroups>;
