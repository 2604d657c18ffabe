import { describe } from 'node:test';
import { interruptedBehaviours } from './contract/interrupted.ts';
import { killedBehaviours } from './contract/killed.ts';
import { liveBehaviours } from './contract/live.ts';
import { pastBehaviours } from './contract/past.ts';
import { refusedBehaviours } from './contract/refused.ts';
import { signInBehaviours } from './contract/sign-in.ts';

/** Which of the two chats of a world is meant. */
export type Where = 'group' | 'direct';

/**
 * A network with a server of its own, made for one suite: a source that is signed in by its settings, and a second user, the
 * peer. Both are in one group that is empty at first. What a network lacks is not there, and its behaviours are left out.
 */
export interface World {
  /** What it is called in the configuration, and the settings of the source. Plain JSON: some behaviours run in another process. */
  kind: string;
  settings: Record<string, unknown>;
  /** The same with a password that is wrong. */
  wrongSettings?: Record<string, unknown>;
  /** Settings without what a person is asked for, the answers by field, and one answer that is wrong. */
  login?: { settings: Record<string, unknown>; answers: Record<string, string>; wrong: Record<string, string> };
  /** The network's ids of the two chats, as the source knows them. */
  chats: Record<Where, string>;
  /** The network's id of a chat that does not exist: sending there must fail. */
  unknownChat?: string;
  peer: Peer;
  /** Breaks the connections of the source, without a word; it may come back at once. */
  cut(): Promise<void> | void;
  /** From now on the source cannot reach the server, until `up`. The peer still can. */
  down(): Promise<void> | void;
  up(): Promise<void> | void;
  /**
   * Writes messages of one user into the group, `old 0`, `old 1` …, as fast as the network takes them. They must be in its
   * history when this resolves.
   */
  writeOld?(count: number): Promise<void>;
  /** How many messages the network keeps for a chat, where that is few. */
  keeps?: number;
  /** How many characters of one byte fit into one message, where that is few. */
  longestText?: number;
  /** Ends the server and everything else. */
  close(): Promise<void>;
}

/** Somebody who talks with the source. */
export interface Peer {
  /** As a message of theirs is stored. In some networks it is another one in a group. */
  sender: Record<Where, { id: string; name: string }>;
  /** Resolves when the network has taken it, with its id as the source sees it. */
  say(where: Where, text: string, options?: { replyTo?: string }): Promise<string>;
  /** Resolves when a message with this text has reached the peer, with its id as the source sees it. */
  heard(where: Where, text: string): Promise<string>;
  edit?(where: Where, id: string, text: string): Promise<void>;
  delete?(where: Where, id: string): Promise<void>;
  react?(where: Where, id: string, sign: string): Promise<void>;
  unreact?(where: Where, id: string, sign: string): Promise<void>;
  /** Sends a file with this content; gives its id as the source sees it. */
  attach?(where: Where, name: string, content: Uint8Array): Promise<string>;
  /** Writes something that the connector has no words for. It must neither be lost without a trace nor break anything. */
  sayUnknown?(where: Where): Promise<void>;
}

/**
 * What some networks lack. `missed …`: what happens to older messages while the source is away is never told. `missed direct
 * messages`: they reach only those who are there.
 */
export type Ability =
  | 'replies'
  | 'edits'
  | 'deletions'
  | 'reactions'
  | 'unknown content'
  | 'unknown chats'
  | 'history'
  | 'passwords'
  | 'login steps'
  | 'downloads'
  | 'missed edits'
  | 'missed deletions'
  | 'missed reactions'
  | 'missed direct messages';

export interface Contract {
  start(): Promise<World>;
  /** Behaviours that need one of these are left out; all others must be shown. */
  lacks?: readonly Ability[];
}

/** What every connector must do, on its real server or a loopback one. A world is made for each group of behaviours. */
export function connectorContract(name: string, { start, lacks = [] }: Contract): void {
  const has = (ability: Ability) => !lacks.includes(ability);
  describe(`connector: ${name}`, () => {
    liveBehaviours(start, has);
    interruptedBehaviours(start, has);
    if (has('history')) pastBehaviours(start);
    if (has('passwords')) refusedBehaviours(start);
    if (has('login steps')) signInBehaviours(start);
    killedBehaviours(start);
  });
}
