import type { BinaryNode } from 'baileys';
import { bigEndian, child, children, node, userOf } from './nodes.ts';
import type { KeyBundle, Phone } from './phone.ts';

export interface Person {
  phone: Phone;
  /** User parts of both addresses. */
  pn: string;
  lid: string;
  name: string;
}

export interface Group {
  id: string;
  subject: string;
  members: readonly Person[];
  admins?: readonly Person[];
}

/** Answers questions about people and groups. */
export function createDirectory() {
  const people: Person[] = [];
  const groups: Group[] = [];

  function find(jid: string | undefined): Person | undefined {
    return people.find(({ pn, lid }) => [pn, lid].includes(userOf(jid)));
  }

  /** The answer to a query; undefined if it is about something else. */
  function answer(query: BinaryNode): BinaryNode[] | 'unknown' | undefined {
    const { xmlns, to } = query.attrs;
    if (xmlns === 'usync') return [usync(query)];
    if (xmlns === 'encrypt' && child(query, 'key')) return [bundles(child(query, 'key'))];
    if (xmlns !== 'w:g2') return undefined;
    if (to === '@g.us') return [node('groups', {}, groups.map(groupNode))];
    const group = groups.find(({ id }) => id === to);
    return group ? [groupNode(group)] : 'unknown';
  }

  function usync(query: BinaryNode): BinaryNode {
    const list = child(child(query, 'usync'), 'list');
    const users = children(list ?? query).map((user) => {
      const asked = user.attrs.jid ?? String(child(user, 'contact')?.content ?? '').replace('+', '');
      const found = find(asked);
      const jid = user.attrs.jid ?? `${asked}@s.whatsapp.net`;
      if (!found) return node('user', { jid }, [node('contact', { type: 'out' })]);
      return node('user', { jid }, [
        node('contact', { type: 'in' }),
        node('devices', {}, [node('device-list', {}, [node('device', { id: '0' })])]),
        ...(jid.endsWith('@lid') ? [] : [node('lid', { val: `${found.lid}@lid` })]),
      ]);
    });
    return node('usync', {}, [node('list', {}, users)]);
  }

  function bundles(query: BinaryNode | undefined): BinaryNode {
    const users = query ? children(query) : [];
    return node(
      'list',
      {},
      users.flatMap(({ attrs: { jid = '' } }) => {
        const found = find(jid);
        return found ? [bundleNode(jid, found.phone.bundle())] : [];
      }),
    );
  }

  return {
    people,
    groups,
    find,
    answer,
  };
}

function bundleNode(jid: string, { registrationId, identity, signed, oneTime }: KeyBundle): BinaryNode {
  const keyNode = (tag: string, { keyId, key }: { keyId: number; key: Uint8Array }, more: BinaryNode[] = []) =>
    node(tag, {}, [node('id', {}, bigEndian(keyId, 3)), node('value', {}, Buffer.from(key)), ...more]);
  return node('user', { jid }, [
    node('registration', {}, bigEndian(registrationId, 4)),
    node('type', {}, Buffer.from([5])),
    node('identity', {}, Buffer.from(identity)),
    keyNode('skey', signed, [node('signature', {}, Buffer.from(signed.signature))]),
    ...(oneTime ? [keyNode('key', oneTime)] : []),
  ]);
}

function groupNode({ id, subject, members, admins = [] }: Group): BinaryNode {
  return node(
    'group',
    {
      id: userOf(id),
      subject,
      creation: '1600000000',
      s_t: '1600000000',
      size: String(members.length),
      addressing_mode: 'pn',
    },
    members.map((member) =>
      node('participant', {
        jid: `${member.pn}@s.whatsapp.net`,
        lid: `${member.lid}@lid`,
        ...(admins.includes(member) ? { type: 'admin' } : {}),
      }),
    ),
  );
}
