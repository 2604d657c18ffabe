import type { LoginHost, LogoutEnd, LookOutcome, Outgoing, SendOutcome, Unknown } from '../../connectors/connector.ts';
import { type Accounts, SIGNED_OFF, type Sources, type SourceView } from '../sources.ts';
import type { SourceDefinition } from './definition.ts';
import type { KnownSource } from './known-source.ts';
import { type EngineParts, keptFor, type LiveSource, SEEN_AT, startLiveSource } from './live-source.ts';
import { createLogins, type LoginProgress } from './logins.ts';

interface Entry {
  definition: SourceDefinition;
  live?: LiveSource;
  isSignedOff?: boolean;
}

const DAY = 24 * 60 * 60 * 1000;
/** How long a message waits for a source that is being connected. */
const CONNECTING_MS = 5_000;
/** How long a caller that signs a source on waits for the result. */
const SIGNING_ON_MS = 30_000;
/** How long a network may take to revoke a session. */
const REVOKING_MS = 20_000;
const TIDY_MS = 60 * 60_000;
/** The first deletion of old messages runs after the start-up work. */
const FIRST_TIDY_MS = 30_000;

/** All sources: connects them, reports their status, and deletes messages after their retention time. */
export function createEngine(parts: EngineParts): Engine {
  const entries = new Map<string, Entry>();
  const logins = createLogins();
  let isRunning = false;
  let timers: NodeJS.Timeout[] = [];
  let turn: Promise<void> = Promise.resolve();

  /** Changes of the list run one after the other, so that a removed source is signed off before it is added again. */
  function inTurn(work: () => Promise<void>): Promise<void> {
    turn = turn.then(work, work);
    return turn;
  }

  async function apply(definitions: readonly SourceDefinition[]): Promise<void> {
    // Of two definitions with the same id the first one counts.
    const next = new Map(definitions.toReversed().map((definition) => [definition.id, definition]));
    const gone = [...entries.values()].filter(
      ({ definition }) => next.get(definition.id)?.fingerprint !== definition.fingerprint,
    );
    await Promise.all(gone.map(({ live }) => live?.stop()));
    for (const { definition } of gone) entries.delete(definition.id);
    const fresh = [...next.values()].filter(({ id }) => !entries.has(id));
    for (const definition of next.values()) {
      const entry = entries.get(definition.id) ?? { definition };
      entry.definition = definition;
      entries.set(definition.id, entry);
    }
    for (const entry of entries.values()) await begin(entry);
    // A new retention time is applied immediately, not at the next hourly run.
    if (isRunning && fresh.some(({ keepDays }) => keepDays !== undefined)) tidyLater();
  }

  async function begin(entry: Entry): Promise<void> {
    const { definition } = entry;
    if (!definition.open || entry.live) return;
    entry.isSignedOff = Boolean(await parts.sourceRepository.recall(definition.id, SIGNED_OFF));
    if (isRunning && !entry.isSignedOff) entry.live = startLiveSource(definition, parts);
  }

  async function signedOnOrOff(id: string): Promise<void> {
    const entry = entries.get(id);
    if (!entry) return;
    if (await parts.sourceRepository.recall(id, SIGNED_OFF)) {
      await entry.live?.stop();
      delete entry.live;
    }
    await begin(entry);
  }

  async function tidy(): Promise<void> {
    for (const { definition } of entries.values()) {
      if (definition.keepDays === undefined) continue;
      const gone = await parts.messages.forgetBefore(definition.id, parts.clock.now() - definition.keepDays * DAY);
      if (gone > 0) parts.log.info({ source: definition.id, messages: gone }, 'old messages were deleted');
    }
  }

  function tidyLater(): void {
    tidy().catch((err: unknown) => parts.log.warn({ err }, 'old messages could not be deleted'));
  }

  function loginHost(source: string, signal: AbortSignal): LoginHost {
    const log = parts.log.child({ component: 'chat', source });
    return { source, clock: parts.clock, log, signal, ...keptFor(source, parts) };
  }

  function sorted(): Entry[] {
    return [...entries.values()].sort((a, b) => (a.definition.id < b.definition.id ? -1 : 1));
  }

  async function view({ definition, live, isSignedOff }: Entry): Promise<SourceView> {
    const { id, kind, name, configuredIn, canStream, canSend, speaksForPerson, howToSend, howToRemove, howToConnect } =
      definition;
    const [extent, seenAt] = await Promise.all([parts.messages.extent(id), parts.sourceRepository.recall(id, SEEN_AT)]);
    const state = stateOf(definition, live);
    const isConnected = CONNECTED.has(state);
    const signedOff = isSignedOff
      ? `It was signed off; \`${definition.signOnCommand ?? `switchboard chat login ${id}`}\` connects it again.`
      : undefined;
    const problem = definition.unavailable ?? signedOff ?? live?.problem();
    const staleSince = seenAt === undefined ? extent.newest : Number(seenAt);
    const fetching = live?.fetching();
    return {
      id,
      kind,
      name,
      isConnected,
      canStream,
      canSend,
      ...(speaksForPerson ? { speaksForPerson } : {}),
      ...(howToSend === undefined ? {} : { howToSend }),
      ...(howToRemove === undefined ? {} : { howToRemove }),
      configuredIn,
      state,
      howToConnect,
      everSynced: isConnected || seenAt !== undefined || extent.count > 0,
      messages: extent.count,
      ...(isConnected || staleSince === undefined ? {} : { staleSince }),
      ...(problem === undefined ? {} : { problem }),
      ...(extent.oldest === undefined ? {} : { historyBackTo: extent.oldest }),
      ...(extent.isComplete === undefined ? {} : { historyComplete: extent.isComplete }),
      ...(fetching === undefined ? {} : { fetching }),
    };
  }

  return {
    list: async () =>
      sorted().map(({ definition, live }) => {
        const { id, kind, name } = definition;
        return { id, kind, name, isConnected: CONNECTED.has(stateOf(definition, live)) };
      }),
    known: () =>
      sorted().map(({ definition, live, isSignedOff = false }) => {
        const { id, kind, name, canSend, speaksForPerson = false, unavailable } = definition;
        const isOff = isSignedOff || unavailable !== undefined || live?.state() === 'rejected';
        return { id, kind, name, canSend: canSend && !speaksForPerson, isOff };
      }),
    describe: () => Promise.all(sorted().map(view)),
    async find(id) {
      const entry = entries.get(id);
      return entry && view(entry);
    },
    apply: (definitions) => inTurn(() => apply(definitions)),
    start: () =>
      inTurn(async () => {
        isRunning = true;
        timers = [setTimeout(tidyLater, FIRST_TIDY_MS), setInterval(tidyLater, TIDY_MS)];
        for (const timer of timers) timer.unref();
        for (const entry of entries.values()) await begin(entry);
      }),
    stop: () =>
      inTurn(async () => {
        isRunning = false;
        for (const timer of timers) clearTimeout(timer);
        logins.stop();
        await Promise.all([...entries.values()].map(({ live }) => live?.stop()));
        for (const entry of entries.values()) delete entry.live;
      }),
    // Also before the first attempt, so that the process does not exit before a source is connected.
    isBusy: () =>
      [...entries.values()].some(
        ({ definition, isSignedOff }) => definition.open && !definition.isAside && !isSignedOff,
      ),
    tidy,
    live: (id) => entries.get(id)?.live,
    async signedOnOrOff(id) {
      await inTurn(() => signedOnOrOff(id));
      await entries.get(id)?.live?.tryNow(SIGNING_ON_MS);
    },
    async login(source, answer): Promise<LoginProgress> {
      const { login } = entries.get(source)?.definition ?? {};
      if (!login) return { kind: 'done' };
      return logins.run(source, (signal) => login(loginHost(source, signal)), answer);
    },
    async logout(source): Promise<LogoutEnd> {
      logins.end(source);
      const { logout } = entries.get(source)?.definition ?? {};
      if (!logout) return { kind: 'done' };
      return logout(loginHost(source, AbortSignal.timeout(REVOKING_MS))).catch(notRevoked);
    },
    async send(source, outgoing) {
      const entry = entries.get(source);
      if (!entry) return notSent('There is no such source any more.');
      await entry.live?.attempted(CONNECTING_MS);
      const connection = entry.live?.connection();
      if (!connection) return { ...notSent('The source is not connected.'), retry: true };
      if (!connection.send) return notSent('Nothing can be sent through this source.');
      return connection.send(outgoing).catch(unknown);
    },
    async wasSent(source, outgoing) {
      const connection = entries.get(source)?.live?.connection();
      return connection?.wasSent?.(outgoing).catch(unknown) ?? unknown();
    },
    addressOf: async (source, text) => entries.get(source)?.live?.addressOf(text),
  };
}

const CONNECTED: ReadonlySet<SourceView['state']> = new Set(['connected', 'ready']);

function notSent(reason: string) {
  return { kind: 'not-sent', reason, retry: false } as const;
}

function unknown(cause?: unknown): Unknown {
  return { kind: 'unknown', reason: 'The connection was lost while this was being sent.', cause };
}

function notRevoked(cause: unknown): LogoutEnd {
  return { kind: 'not-revoked', reason: 'Its session could not be ended on the network: end it there.', cause };
}

function stateOf({ open, unavailable }: SourceDefinition, live: LiveSource | undefined): SourceView['state'] {
  if (unavailable !== undefined) return 'stopped';
  if (open) return live?.state() ?? 'stopped';
  return 'ready';
}

export interface Engine extends Sources, Accounts {
  /** Sorted by id. */
  known(): readonly KnownSource[];
  /** Replaces the list of sources; connections of unchanged sources remain open. */
  apply(definitions: readonly SourceDefinition[]): Promise<void>;
  start(): Promise<void>;
  /** Signs off all sources. */
  stop(): Promise<void>;
  /** Whether a source is kept connected, so that this process does not exit when it has no clients. */
  isBusy(): boolean;
  /** Deletes messages that are older than the retention time of their source. */
  tidy(): Promise<void>;
  live(source: string): LiveSource | undefined;
  send(source: string, outgoing: Outgoing): Promise<SendOutcome>;
  /** `unknown` also if the source is not connected. */
  wasSent(source: string, outgoing: Outgoing): Promise<LookOutcome>;
  /** The network's id for this text, if it can be an address on that network. */
  addressOf(source: string, text: string): Promise<string | undefined>;
}
