import type { InboundEvent } from '../../domain/chat.ts';
import type { Memory } from '../connector.ts';
import type { Directory, Self } from './convert.ts';
import type { Contact, Group } from './schema.ts';

/** So many edits are remembered: a later edit, reaction or deletion may name any version of a message. */
const MAX_REVISIONS = 500;
const REVISIONS = 'revisions';

/** People, groups and edited messages of an account. */
export interface KnownDirectory extends Directory {
  self: Self;
  learnContacts(contacts: readonly Contact[]): void;
  /** The events that are new about groups. */
  learnGroups(groups: readonly Group[]): InboundEvent[];
  hasGroup(id: string): boolean;
  addRevision(revision: { of: string; is: string }): Promise<void>;
}

export async function createDirectory(self: Self, memory: Memory): Promise<KnownDirectory> {
  const names = new Map<string, string>();
  const uuids = new Map<string, string>();
  const groups = new Map<string, { name: string | undefined; size: number }>();
  const revisions = new Map(readRevisions(await memory.get(REVISIONS)));
  const firstVersion = (id: string) => revisions.get(id) ?? id;

  function learnContacts(contacts: readonly Contact[]): void {
    for (const contact of contacts) {
      const { uuid, number } = contact;
      if (uuid && number) uuids.set(number, uuid);
      if (uuid && number === self.number) self.uuid = uuid;
      const name = nameOfContact(contact);
      if (name === undefined) continue;
      if (uuid) names.set(uuid, name);
      if (number) names.set(number, name);
    }
  }

  function learnGroups(listed: readonly Group[]): InboundEvent[] {
    return listed.flatMap(({ id, name, members }): InboundEvent[] => {
      const before = groups.get(id);
      const size = members.length;
      if (before && before.name === name && before.size === size) return [];
      groups.set(id, { name, size });
      const count = size > 0 ? { participantCount: size } : {};
      return [{ kind: 'chat', chat: { id, type: 'group', ...(name ? { name } : {}), ...count } }];
    });
  }

  return {
    self,
    nameOf: (uuid, number) => (uuid && names.get(uuid)) || (number && names.get(number)) || undefined,
    uuidOf: (number) => uuids.get(number),
    groupName: (id) => groups.get(id)?.name,
    hasGroup: (id) => groups.has(id),
    firstVersion,
    learnContacts,
    learnGroups,
    async addRevision({ of, is }) {
      if (revisions.has(is)) return;
      revisions.set(is, firstVersion(of));
      for (const [oldest] of revisions) {
        if (revisions.size <= MAX_REVISIONS) break;
        revisions.delete(oldest);
      }
      await memory.set(REVISIONS, JSON.stringify([...revisions]));
    },
  };
}

function nameOfContact({ name, nickName, givenName, familyName, profile }: Contact): string | undefined {
  const profileName = [profile?.givenName, profile?.familyName].filter(Boolean).join(' ');
  return nickName || name || [givenName, familyName].filter(Boolean).join(' ') || profileName || undefined;
}

function readRevisions(text: string | undefined): [string, string][] {
  return text === undefined ? [] : JSON.parse(text);
}
