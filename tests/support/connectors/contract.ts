import { describe } from 'node:test';
import { interruptedBehaviours } from './contract/interrupted.ts';
import { killedBehaviours } from './contract/killed.ts';
import { liveBehaviours } from './contract/live.ts';
import { pastBehaviours } from './contract/past.ts';
import { refusedBehaviours } from './contract/refused.ts';
import { signInBehaviours } from './contract/sign-in.ts';

/** One of the two chats of a world. */
export type Where = 'group' | 'direct';

/**
 * A network with its own server, started for one suite: a source that is signed in by its settings, and a second user, the
 * peer. Both are in one group that is empty at first. What a network lacks is missing, and its behaviours are skipped.
 */
export interface World {
  /** The kind and the settings of the source. Plain JSON: some behaviours run in another process. */
  kind: string;
  settings: Record<string, unknown>;
  /** Secrets of the source, for networks that sign in interactively. */
  secrets?: Map<string, string>;
  /** The same with a wrong password. */
  wrongSettings?: Record<string, unknown>;
  /** Settings without the values that a user is asked for, the answers by field, and one wrong answer. */
  login?: { settings: Record<string, unknown>; answers: Record<string, string>; wrong: Record<string, string> };
  /** The network's ids of the two chats, as the source knows them. */
  chats: Record<Where, string>;
  /** The network's id of a chat that does not exist: sending there must fail. */
  unknownChat?: string;
  peer: Peer;
  /** Cuts the connections of the source abruptly; it can reconnect immediately. */
  cut(): Promise<void> | void;
  /** Makes the server unreachable for the source, until `up`. The peer can still reach it. */
  down(): Promise<void> | void;
  up(): Promise<void> | void;
  /**
   * Writes messages of one user into the group, `old 0`, `old 1` …, as fast as the network takes them. They must be in its
   * history when this resolves.
   */
  writeOld?(count: number): Promise<void>;
  /** How many messages the network keeps per chat, if few. */
  keeps?: number;
  /** How many single-byte characters fit into one message, if few. */
  longestText?: number;
  /** Stops the server and everything else. */
  close(): Promise<void>;
}

/** A user who exchanges messages with the source. */
export interface Peer {
  /** The sender of their messages as stored. In some networks it differs in a group. */
  sender: Record<Where, { id: string; name: string }>;
  /** Resolves when the network has accepted it, with its id as the source sees it. */
  say(where: Where, text: string, options?: { replyTo?: string }): Promise<string>;
  /** Resolves when a message with this text has reached the peer, with its id as the source sees it. */
  heard(where: Where, text: string): Promise<string>;
  edit?(where: Where, id: string, text: string): Promise<void>;
  delete?(where: Where, id: string): Promise<void>;
  react?(where: Where, id: string, sign: string): Promise<void>;
  unreact?(where: Where, id: string, sign: string): Promise<void>;
  /** Sends a file with this content; returns its id as the source sees it. */
  attach?(where: Where, name: string, content: Uint8Array): Promise<string>;
  /** Sends content that the connector does not support. It must still be stored, and the connection must continue. */
  sayUnknown?(where: Where): Promise<void>;
}

/**
 * What some networks lack. `missed …`: changes of older messages while the source is disconnected are never delivered. `missed
 * direct messages`: they reach only connected users. `acknowledgements`: the network forgets a message when it has written it to
 * the connection, so what is on its way when that breaks is gone.
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
  | 'acknowledgements'
  | 'downloads'
  | 'missed edits'
  | 'missed deletions'
  | 'missed reactions'
  | 'missed direct messages';

export interface Contract {
  start(): Promise<World>;
  /** Behaviours that need one of these are skipped; all others are required. */
  lacks?: readonly Ability[];
}

/** What every connector must do, on its real server or a loopback one. A world is started for each group of behaviours. */
export function connectorContract(name: string, { start, lacks = [] }: Contract): void {
  const has = (ability: Ability) => !lacks.includes(ability);
  describe(`connector: ${name}`, () => {
    liveBehaviours(start, has);
    interruptedBehaviours(start, has);
    if (has('history')) pastBehaviours(start);
    if (has('passwords')) refusedBehaviours(start);
    if (has('login steps')) signInBehaviours(start);
    if (has('acknowledgements')) killedBehaviours(start);
  });
}
