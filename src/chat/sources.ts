import type { LogoutEnd } from '../connectors/connector.ts';
import type { LoginAnswer, LoginProgress } from './engine/logins.ts';

/** State of a source's connection. `ready` is for sources that need none: archives and webhooks. */
export type SourceState = 'connected' | 'connecting' | 'waiting' | 'rejected' | 'stopped' | 'ready';

/** A source as users and agents see it. */
export interface SourceView {
  id: string;
  kind: string;
  name: string;
  isConnected: boolean;
  /** Whether new messages arrive by themselves, so that clients can subscribe to them. */
  canStream: boolean;
  canSend: boolean;
  /** Messages sent through it come from the user and go to agents, which send through their own tools. */
  speaksForPerson?: boolean;
  /** What to use instead, where `canSend` is false. */
  howToSend?: string;
  /** What to use instead of removing it from chat. */
  howToRemove?: string;
  configuredIn: 'file' | 'store' | 'built-in';
  state: SourceState;
  /** Since when no new message can have arrived. */
  staleSince?: number;
  /** Why it is not connected, written by us. */
  problem?: string;
  /** What the user has to do to connect it. */
  howToConnect: string;
  /** Whether anything was ever received from it: then its history can be read, connected or not. */
  everSynced: boolean;
  messages: number;
  /** Timestamp of the oldest stored message. */
  historyBackTo?: number;
  /** Whether all of the network's history is stored. */
  historyComplete?: boolean;
  /** Older messages are being fetched: how many so far. */
  fetching?: { done: number; total?: number };
}

/** What is known of a source without reading the store. */
export type ListedSource = Pick<SourceView, 'id' | 'kind' | 'name' | 'isConnected'>;

export interface Sources {
  /** Sorted by id. Part of every call over all sources, so it reads nothing. */
  list(): Promise<readonly ListedSource[]>;
  /** The same with all that is known of each. */
  describe(): Promise<readonly SourceView[]>;
  find(id: string): Promise<SourceView | undefined>;
}

/** Key that is set while a source is signed off, until it is signed on. */
export const SIGNED_OFF = 'engine.signed_off';

export interface Accounts {
  /** Signs in with the help of the user, step by step; `done` immediately if no step is needed. */
  login(source: string, answer: LoginAnswer): Promise<LoginProgress>;
  /** Revokes the session of a source that is disconnected; `done` also if it has none. */
  logout(source: string): Promise<LogoutEnd>;
  /** Connects or disconnects the source after a change of its `SIGNED_OFF` key, and waits for the result. */
  signedOnOrOff(source: string): Promise<void>;
}
