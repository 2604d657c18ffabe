import type { Host } from '../connector.ts';
import { notSent } from '../outcome-error.ts';
import { HomeserverError, type MatrixClient } from './client.ts';
import type { MatrixRooms } from './rooms.ts';
import { readCreatedRoom, readCreation, readJoinedRooms, readMember, readPeople } from './schema.ts';
import { explain } from './send.ts';
import type { MatrixSession } from './session.ts';

interface Parts {
  ask: MatrixClient;
  session: MatrixSession;
  rooms: MatrixRooms;
  memory: Host['memory'];
}

const MAX_USER_ID = 255;

/** `@user:example.org`. */
export function isUserId(text: string): boolean {
  return text.length <= MAX_USER_ID && /^@[^\s:]+:[^\s/@]+$/.test(text);
}

/** The direct chats of the user (`m.direct`). There is one for each person: it is found before another is created. */
export function createDirectChats({ ask, session, rooms, memory }: Parts) {
  const { user: me, token } = session;
  const opening = new Map<string, Promise<string>>();
  const accountData = ['user', me, 'account_data', 'm.direct'];
  /** `m.direct` is one value, read and written as a whole: one change at a time. */
  let noted: Promise<void> = Promise.resolve();

  /** The room to write to this person in. Messages that are sent at the same time share it. */
  function roomWith(person: string): Promise<string> {
    const known = opening.get(person);
    if (known) return known;
    const found = open(person).finally(() => opening.delete(person));
    opening.set(person, found);
    return found;
  }

  async function open(person: string): Promise<string> {
    if (person === me) throw notSent('This is the user of the source.');
    for (const room of rooms.directWith(person)) if (await isIn(room, person)) return room;
    const invited = rooms.invitationFrom(person);
    if (invited !== undefined) return accepted(invited, person);
    return (await interrupted(person)) ?? create(person);
  }

  async function accepted(room: string, person: string): Promise<string> {
    await ask({ method: 'POST', path: ['join', room], body: {}, token }).catch(explain);
    await note(room, person);
    return room;
  }

  async function create(person: string): Promise<string> {
    await checkExists(person);
    // Creating cannot be repeated: without an answer, the room is searched next time.
    await memory.set(markOf(person), 'creating');
    const creation = { preset: 'trusted_private_chat', creation_content: { [CREATED_FOR]: person } };
    const body = { ...creation, is_direct: true, invite: [person] };
    const before = new Set(rooms.ids());
    try {
      const { room_id: room } = readCreatedRoom(await ask({ method: 'POST', path: ['createRoom'], body, token }));
      await note(room, person);
      return room;
    } catch (error) {
      // Homeservers keep the room although nobody could be invited to it.
      if (error instanceof HomeserverError) await interrupted(person, before);
      // After other errors the room may still be created.
      if (error instanceof HomeserverError && error.status < 500) await memory.set(markOf(person), '');
      return explain(error);
    }
  }

  /** The room of an earlier attempt whose end is not known; none of `before`. One without the person is left. */
  async function interrupted(person: string, before: ReadonlySet<string> = NONE): Promise<string | undefined> {
    if (!(await memory.get(markOf(person)))) return undefined;
    const { joined_rooms: joined } = readJoinedRooms(await ask({ path: ['joined_rooms'], token }).catch(explain));
    for (const room of joined.filter((each) => !before.has(each))) {
      const member = await memberOf(room, person);
      if (member?.is_direct && member.membership !== undefined && PRESENT.has(member.membership)) {
        await note(room, person);
        return room;
      }
      if (member === undefined && (await isCreatedFor(room, person))) {
        await ask({ method: 'POST', path: ['rooms', room, 'leave'], body: {}, token }).catch(explain);
      }
    }
    return undefined;
  }

  async function isCreatedFor(room: string, person: string): Promise<boolean> {
    const answer = await ask({ path: ['rooms', room, 'state', 'm.room.create'], token }).catch(orNothing);
    return answer !== undefined && readCreation(answer)[CREATED_FOR] === person;
  }

  /** Adds the room to those of this person, as other clients do, so that all of them use it. */
  function note(room: string, person: string): Promise<void> {
    const done = noted.then(() => addTo(room, person));
    noted = done.catch(() => {});
    return done;
  }

  async function addTo(room: string, person: string): Promise<void> {
    const people = readPeople(await ask({ path: accountData, token }).catch(orNothing));
    const known = people[person] ?? [];
    if (!known.includes(room)) {
      const body = { ...people, [person]: [...known, room] };
      await ask({ method: 'PUT', path: accountData, body, token }).catch(explain);
    }
    rooms.addDirect(room, person);
    await memory.set(markOf(person), '');
  }

  async function isIn(room: string, person: string): Promise<boolean> {
    const { membership } = (await memberOf(room, person)) ?? {};
    return membership !== undefined && PRESENT.has(membership);
  }

  async function memberOf(room: string, person: string) {
    const path = ['rooms', room, 'state', 'm.room.member', person];
    const answer = await ask({ path, token }).catch(orNothing);
    return answer === undefined ? undefined : readMember(answer);
  }

  /** Homeservers invite users that do not exist, too. */
  async function checkExists(person: string): Promise<void> {
    try {
      await ask({ path: ['profile', person], token });
    } catch (error) {
      if (!(error instanceof HomeserverError)) return explain(error);
      if (error.status === 404) throw notSent('There is no such user.', { cause: error });
      if (error.status >= 500)
        throw notSent('The homeserver of this user cannot be reached.', { retry: true, cause: error });
    }
  }

  return { roomWith };
}

/** In the content of `m.room.create`: by it a room is found to which nobody could be invited. */
const CREATED_FOR = 'switchboard.direct_chat';
const PRESENT: ReadonlySet<string> = new Set(['join', 'invite']);
const NONE: ReadonlySet<string> = new Set();

function markOf(person: string): string {
  return `direct chat ${person}`;
}

function orNothing(error: unknown): undefined {
  const isMissing = error instanceof HomeserverError && (error.status === 404 || error.status === 403);
  if (!isMissing) explain(error);
  return undefined;
}
