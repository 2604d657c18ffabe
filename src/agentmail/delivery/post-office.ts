import { relative } from 'node:path';
import { AppError } from '../../domain/errors.ts';
import type { Clock } from '../../lib/clock.ts';
import { writeToStderr } from '../../lib/stderr.ts';
import { visible } from '../../lib/visible.ts';
import type { AgentContext, AgentStatus, Peer } from '../agent.ts';
import type { Letter, SentLetter } from '../letter.ts';
import { createHeldMailboxes } from '../mailbox/held-mailboxes.ts';
import { appendLetter, mailboxPath } from '../mailbox/mailbox.ts';
import type { Warn } from '../mailbox/quarantine.ts';
import { changePresence, newestOf, type Presence, readPresences } from '../mailbox/recipients-file.ts';
import type { LetterProof } from '../ports.ts';
import { checkMessage } from './check-message.ts';
import type { DeliveryState, Unwoken } from './delivery-state.ts';
import { createDeliveryStates } from './delivery-states.ts';
import { findRecipient } from './find-recipient.ts';
import { type LeaseParts, leaseOldestUnread } from './lease-letter.ts';
import type { TrackedLetter } from './letter-states.ts';
import { noteElsewhere } from './note-elsewhere.ts';
import { ownLetters, ownMailboxes } from './own-mail.ts';
import { ownNames } from './own-names.ts';
import type { LeasedLetter, MailRecipient, PostOffice } from './post.ts';
import { refreshStatus } from './refresh-status.ts';
import { type IsOwnLetter, proofOf, withVerifiedSender } from './verified-sender.ts';
import { noteStatus, noteWakeMethod, type WakeHints } from './wake-methods.ts';

/** May refuse a letter before it is stored, by throwing. `answers` is the letter that this one would answer. */
export interface LoopGuard {
  admit(letter: {
    at: AgentContext;
    state: DeliveryState;
    to: Peer;
    answers: string | undefined;
    now: number;
  }): void | Promise<void>;
}

export interface PostOfficeParts {
  clock: Clock;
  guard?: LoopGuard;
  /** How the agent of this process can be woken, if this serves one agent. */
  hints?(): WakeHints;
  /** Called when a damaged file was repaired. */
  warn?: Warn;
  isOwnLetter?: IsOwnLetter;
  /** Records a letter as the user's, if this sends for the user. */
  addOwnLetter?(proof: LetterProof): Promise<void>;
}

const PREVIEW_LENGTH = 80;
/** The time of reading is stored again only after this time. */
const READING_LASTS_MS = 1_000;
const MAX_REPORTED = 1_000;
const REMOTE_AGENT_LASTS_MS = 24 * 3_600_000;

export function createPostOffice(parts: PostOfficeParts): PostOffice {
  const { clock, guard, warn = toStderr, isOwnLetter = async () => false, addOwnLetter } = parts;
  const hints = (): WakeHints => parts.hints?.() ?? {};
  const states = createDeliveryStates(warn);
  const held = createHeldMailboxes();
  /** When each agent's time of reading was last stored. */
  const readings = new Map<string, number>();
  const warnOnce = onceEach(warn);
  const stateOf = (at: AgentContext) => {
    at.findings?.forEach(warnOnce);
    return states.of(at.mailFolders.main);
  };

  return {
    async send(at, to, message) {
      checkMessage(message);
      // A letter is sent even if its delivery state cannot be stored.
      const recipient =
        (await unlessBusy(retryWhileBusy(at, (state) => admit(state, at, to)))) ?? (await admit(stateOf(at), at, to));
      const mailbox = mailboxPath(at.mailFolders.forFolder(recipient.folder), recipient.name);
      const beforeAppend = async (letter: Letter) => addOwnLetter?.(proofOf(at.mailFolders.main, letter));
      const written = { from: at.me.name, to: recipient.name, message };
      const letter = await appendLetter(mailbox, written, { clock, warn, beforeAppend });
      const noted = {
        id: letter.id,
        mailbox: relative(at.mailFolders.main, mailbox),
        from: at.me,
        to: recipient,
        storedAt: Date.parse(letter.createdAt),
        preview: previewOf(message),
      };
      await unlessBusy(retryWhileBusy(at, (state) => state.stored(noted)));
      const note = noteElsewhere(at, recipient);
      return { id: letter.id, to: recipient.name, state: 'stored', ...(note === undefined ? {} : { note }) };
    },

    async take(at) {
      const mailFolder = at.mailFolders.main;
      const later: LeaseParts['retryWhileBusy'] = (work) => retryWhileBusy(at, work);
      const taken = await retryWhileBusy(at, (state) => {
        state.sawWindows(named(at.me), clock.now());
        noteThread(state, at);
        return leaseOldestUnread(ownMailboxes(at, state, warnOnce), {
          clock,
          warn,
          state,
          held,
          mailFolder,
          retryWhileBusy: later,
        });
      });
      if (!taken) return undefined;
      const letter = await withVerifiedSender(mailFolder, taken.letter, isOwnLetter);
      return { ...taken, letter, done: () => finish(at, taken) };
    },

    async recipients(at) {
      const state = stateOf(at);
      const presences = (await Promise.all(at.mailFolders.read.map(readPresences))).flat();
      const statusOf = (peer: Peer) => newestOf(presences, ownNames({ me: peer, peers: at.peers }, state))?.status;
      const isShown = ({ name, isCurrent }: MailRecipient) => isCurrent || !at.ignored.has(name);
      const remote = knownRemoteAgents(state, clock)
        .filter((name) => !at.peers.some((peer) => peer.name === name))
        .map((name) => ({ name, isCurrent: name === at.me.name }));
      return [...at.peers, ...remote]
        .filter(isShown)
        .map((peer) => withStatus({ name: peer.name, isCurrent: peer.isCurrent }, statusOf(peer)));
    },

    async setStatus(at, status, reason = {}) {
      const now = clock.now();
      const noting = retryWhileBusy(at, (state) => {
        state.sawWindows(named(at.me), now);
        noteThread(state, at);
        noteStatus(state, at.me, status, { ...hints(), ...reason }, now);
      });
      await unlessBusy(noting);
      await changeOwnPresence(at, (presence) => ({ ...keptNotice(presence, status), status, updatedAt: now }));
    },

    async sent(at, { limit }) {
      const state = stateOf(at);
      const letters = state.sentBy(at.me, limit);
      const refreshed = await refreshStatus(letters, { state, mailFolder: at.mailFolders.main, now: clock.now() });
      const unwoken = new Map(state.unwoken().map((each) => [each.agent, each]));
      return refreshed.map((letter) => toSent(letter, unwoken.get(letter.toWindow ?? letter.to)));
    },

    async history(at, { limit, with: other }) {
      const letters = await ownLetters(ownMailboxes(at, stateOf(at), warnOnce));
      const wanted = other === undefined ? letters : letters.filter(({ from }) => from === other);
      const shown = limit > 0 ? wanted.slice(-limit) : [];
      return Promise.all(shown.map((letter) => withVerifiedSender(at.mailFolders.main, letter, isOwnLetter)));
    },

    close: () => states.close(),
  };

  function retryWhileBusy<T>(
    { mailFolders, findings }: AgentContext,
    work: (state: DeliveryState) => T | Promise<T>,
  ): Promise<T> {
    findings?.forEach(warnOnce);
    return states.retryWhileBusy(mailFolders.main, work);
  }

  async function admit(state: DeliveryState, at: AgentContext, name: string): Promise<Peer> {
    const to = findRecipient(at, name, knownRemoteAgents(state, clock));
    state.sawWindows(at.peers.flatMap(named), clock.now());
    noteThread(state, at);
    await guard?.admit({ at, state, to, answers: state.answerable(at.me, to), now: clock.now() });
    return to;
  }

  function noteThread(state: DeliveryState, at: AgentContext): void {
    const { thread } = hints();
    if (thread !== undefined) noteWakeMethod(state, at.me, { thread });
  }

  /** For state that delivery does not depend on. */
  async function unlessBusy<T>(noting: Promise<T>): Promise<T | undefined> {
    try {
      return await noting;
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'BUSY') throw error;
      warn(error.message);
      return undefined;
    }
  }

  async function finish(at: AgentContext, taken: LeasedLetter): Promise<void> {
    await taken.done();
    const now = clock.now();
    const agent = `${at.mailFolders.main} ${at.me.name}`;
    if (now - (readings.get(agent) ?? Number.NEGATIVE_INFINITY) < READING_LASTS_MS) return;
    readings.set(agent, now);
    try {
      await changeOwnPresence(at, (presence) => ({ ...presence, lastReadAt: now }));
    } catch (error) {
      warn(`the time of reading was not stored: ${(error as Error).message}`);
    }
  }

  /** In every folder that we read, because the original program reads the one of its worktree. */
  async function changeOwnPresence(at: AgentContext, change: (presence: Presence) => Presence): Promise<void> {
    const names = (await unlessBusy(retryWhileBusy(at, (state) => ownNames(at, state)))) ?? [at.me.name];
    for (const folder of at.mailFolders.read) await changePresence(folder, names, change, { now: clock.now(), warn });
  }
}

function knownRemoteAgents(state: DeliveryState, clock: Clock): readonly string[] {
  return state.remoteAgents(clock.now() - REMOTE_AGENT_LASTS_MS);
}

/** An agent that stops being ready is notified again of waiting mail when it is ready. */
function keptNotice({ notifiedAt, ...presence }: Presence, status: AgentStatus): Presence {
  return status === 'ready' && notifiedAt !== undefined ? { ...presence, notifiedAt } : presence;
}

function withStatus(recipient: MailRecipient, status: AgentStatus | undefined): MailRecipient {
  return status === undefined ? recipient : { ...recipient, status };
}

function named({ name, window }: Peer): { name: string; window: string }[] {
  return window === undefined ? [] : [{ name, window }];
}

/** Without mailboxes and windows, which are internal. */
function toSent(tracked: TrackedLetter, unwoken: Unwoken | undefined): SentLetter {
  const { mailbox, from, fromWindow, toWindow, inReplyTo, ...letter } = tracked;
  if (letter.state !== 'stored' || !unwoken) return letter;
  const { reason, since } = unwoken;
  return { ...letter, unwoken: { reason, since: Math.max(since, letter.storedAt) } };
}

function previewOf(message: string): string {
  const line = message
    .slice(0, PREVIEW_LENGTH * 2)
    .replace(/\s+/g, ' ')
    .trim();
  const characters = [...line];
  return characters.length > PREVIEW_LENGTH ? `${characters.slice(0, PREVIEW_LENGTH - 1).join('')}…` : line;
}

/** The same finding is reported once. */
function onceEach(warn: Warn): Warn {
  const reported = new Set<string>();
  return (message) => {
    if (reported.has(message) || reported.size > MAX_REPORTED) return;
    reported.add(message);
    warn(message);
  };
}

function toStderr(message: string): void {
  writeToStderr(`[agentmail] ${visible(message)}\n`);
}
