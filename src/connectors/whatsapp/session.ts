import type { BinaryNode, Contact, GroupMetadata, WAMessage } from 'baileys';
import type { InboundEvent } from '../../domain/chat.ts';
import type { Host } from '../connector.ts';
import { type createAuthState, nameOf } from './auth-state.ts';
import { createGroups } from './groups.ts';
import { createHistory } from './history.ts';
import { createInbox } from './inbox.ts';
import type { Library } from './library.ts';
import { createOutgoing } from './outgoing.ts';
import { createPeople } from './people.ts';
import { provideOneTimeKeys } from './pre-keys.ts';
import { createReceiver } from './receiver.ts';
import { createRecent, type Recent } from './recent.ts';
import type { SealedEntries } from './sealed-entries.ts';
import type { WhatsappSettings } from './settings.ts';
import { durableRepository } from './signal-repository.ts';
import { closeSocket, openSocket } from './socket.ts';

interface SessionParts {
  library: Library;
  settings: WhatsappSettings;
  entries: SealedEntries;
  auth: ReturnType<typeof createAuthState>;
  host: Host;
  /** The last version of the protocol, if the library's is outdated. */
  version?: [number, number, number] | undefined;
}

/** Direct chats in which there are messages: only these are renamed. */
const DIRECT = 'direct-chat';

/** One connection to WhatsApp, from the socket to its end. */
export function openSession({ library, settings, entries, auth, host, version }: SessionParts) {
  const over = new AbortController();
  const ended = Promise.withResolvers<unknown>();
  const { creds } = auth.state;
  const people = createPeople(entries, () => ({ id: creds.me?.id ?? '', lid: creds.me?.lid }));
  const groups = createGroups(people);
  const recent: Recent = createRecent();
  const sock = openSocket(library, settings, host.log, {
    auth: auth.state,
    makeSignalRepository: durableRepository(library, entries),
    getMessage: async ({ id }) => outgoing.find(id ?? ''),
    cachedGroupMetadata: async (id) => groups.get(id),
    // Parts of the history are taken in here; the library only learns that it may expect them.
    shouldSyncHistoryMessage: ({ directPath, initialHistBootstrapInlinePayload: inline }) =>
      !directPath && !inline?.length,
    ...(version ? { version } : {}),
  });
  const receiver = createReceiver({ library, sock, host, people, groups, recent });
  const outgoing = createOutgoing({ library, sock, entries, people, host, signal: over.signal, recent });
  const history = createHistory({
    library,
    settings,
    entries,
    log: host.log,
    signal: over.signal,
    convert: receiver.eventsOfHistory,
    async store(events) {
      keep(events);
      await host.acceptHistory(events);
    },
  });
  const inbox = createInbox<WAMessage>({
    open: receiver.open,
    store: storeLive,
    release: (node) => emit('CB:message', node),
    onFailure: fail,
  });
  const emit = sock.ws.emit.bind(sock.ws);
  sock.ws.emit = (event: string, ...values: unknown[]) => {
    if (event === 'CB:message') inbox.add(values[0] as BinaryNode);
    else if (event === 'CB:success')
      provideOneTimeKeys(library, sock)
        .catch(quiet)
        .then(() => emit(event, ...values));
    else return emit(event, ...values);
    return true;
  };

  async function storeLive(messages: readonly WAMessage[]): Promise<void> {
    for (const { key, message } of messages) {
      const notification = message ? library.getHistoryMsg(message) : undefined;
      if (notification && key.fromMe && key.id) history.add(key.id, notification);
    }
    await accept(receiver.eventsOf(messages));
    await entries.flush();
    takeInHistory();
  }

  async function accept(events: readonly InboundEvent[]): Promise<void> {
    if (events.length === 0) return;
    keep(events);
    await host.accept(events);
  }

  function keep(events: readonly InboundEvent[]): void {
    people.keepIds(events);
    const direct = events.flatMap((event) =>
      event.kind === 'message' && event.message.chat.type === 'direct' ? [nameOf(DIRECT, event.message.chat.id)] : [],
    );
    const fresh = [...new Set(direct)].filter((name) => entries.get(name) === undefined);
    if (fresh.length > 0) entries.change(fresh.map((name) => [name, '1']));
  }

  let isSynced = (creds.accountSyncCounter ?? 0) > 0;
  function takeInHistory(): void {
    history.start().then(() => {
      if (isSynced || over.signal.aborted) return;
      isSynced = true;
      // The names of the user's address book are in the state of the apps.
      sock.ev.emit('creds.update', { accountSyncCounter: 1 });
      sock.resyncAppState(library.ALL_WA_PATCH_NAMES, true).catch(quiet);
    }, fail);
  }

  /** Ends the connection; the next one continues with what is not stored. */
  function fail(error: unknown): void {
    finish(error);
    void closeSocket(sock);
  }

  function finish(error: unknown): void {
    inbox.close();
    over.abort();
    ended.resolve(error);
  }

  function learnContacts(contacts: readonly Partial<Contact>[]): void {
    const renamed = contacts.flatMap(({ id, lid, phoneNumber, name, notify, verifiedName }) => {
      const jid = phoneNumber ?? id ?? lid;
      const isNew = [people.learnName(jid, 'book', name), people.learnName(jid, 'own', verifiedName ?? notify)].some(
        Boolean,
      );
      const known = people.idOf(jid);
      return isNew && known !== undefined && entries.get(nameOf(DIRECT, known)) ? [known] : [];
    });
    const events = renamed.map((id): InboundEvent => ({ kind: 'chat', chat: { id, name: people.nameOf(id) ?? id } }));
    accept(events).catch(quiet);
  }

  async function learnGroups(list: readonly GroupMetadata[]): Promise<void> {
    const pairs = list.flatMap(({ participants }) =>
      participants.flatMap(({ id, lid, phoneNumber }) => {
        if (phoneNumber && id.endsWith('@lid')) return [{ lid: id, pn: phoneNumber }];
        return lid && !id.endsWith('@lid') ? [{ lid, pn: id }] : [];
      }),
    );
    await sock.signalRepository.lidMapping.storeLIDPNMappings(pairs);
    await accept(list.map((group) => ({ kind: 'chat', chat: groups.learn(group) })));
  }

  async function refreshGroup(id: string): Promise<void> {
    groups.forgetMembers(id);
    await learnGroups([await sock.groupMetadata(id)]);
  }

  sock.ev.on('creds.update', auth.save);
  sock.ev.on('messages.upsert', ({ messages }) => void accept(receiver.othersOf(messages)).catch(quiet));
  sock.ev.on('contacts.upsert', learnContacts);
  sock.ev.on('contacts.update', learnContacts);
  sock.ev.on('groups.upsert', (list) => void learnGroups(list).catch(quiet));
  sock.ev.on('group-participants.update', ({ id }) => void refreshGroup(id).catch(quiet));
  sock.ev.on('groups.update', (list) => {
    const named = list.flatMap(({ id, subject }): InboundEvent[] =>
      id && subject ? [{ kind: 'chat', chat: { id, type: 'group', name: subject } }] : [],
    );
    accept(named).catch(quiet);
  });
  sock.ev.on('connection.update', ({ connection, lastDisconnect }) => {
    if (connection === 'close') finish(lastDisconnect?.error);
    if (connection !== 'open') return;
    host.connected();
    takeInHistory();
    sock
      .groupFetchAllParticipating()
      .then((all) => learnGroups(Object.values(all)), quiet)
      .catch(quiet);
  });

  return {
    /** The error with which the connection ended. */
    ended: ended.promise,
    send: outgoing.send,
    wasSent: outgoing.wasSent,
    progress: history.progress,
    missingHistory: history.missing,
    unreadable: receiver.unreadable,
    idOf: people.idOf,
    hold(isHeld: boolean): void {
      const { socket } = sock.ws as unknown as { socket?: { pause(): void; resume(): void } };
      if (isHeld) socket?.pause();
      else socket?.resume();
    },
    async close(): Promise<void> {
      finish(undefined);
      await closeSocket(sock);
    },
  };
}

/** What the library could not do now is not essential, or it tries again itself. */
function quiet(): void {}

export type Session = ReturnType<typeof openSession>;
