import type { LoginAnswer, LoginProgress } from './engine/logins.ts';

/** What becomes of a source's connection. `ready` is for sources that need none: archives and webhooks. */
export type SourceState = 'connected' | 'connecting' | 'waiting' | 'rejected' | 'stopped' | 'ready';

/** A source as people and agents see it. */
export interface SourceView {
  id: string;
  kind: string;
  name: string;
  isConnected: boolean;
  /** Whether new messages come by themselves, so that they can be subscribed to. */
  canStream: boolean;
  canSend: boolean;
  /** What is sent through it comes from the person, to agents: they themselves have other ways. */
  speaksForPerson?: boolean;
  configuredIn: 'file' | 'store' | 'built-in';
  state: SourceState;
  /** Since when nothing new can have come. */
  staleSince?: number;
  /** Why it is not connected, in our words. */
  problem?: string;
  /** What a person does to connect it. */
  howToConnect: string;
  /** Whether anything ever came from it: then its history is worth reading, connected or not. */
  everSynced: boolean;
  messages: number;
  /** The moment of the oldest message that is known. */
  historyBackTo?: number;
  /** Whether all that the network has kept is here. */
  historyComplete?: boolean;
  /** Older messages are being fetched: how many have come so far. */
  fetching?: { done: number };
}

export interface Sources {
  /** In the order of their ids. */
  list(): Promise<readonly SourceView[]>;
  find(id: string): Promise<SourceView | undefined>;
}

/** What is remembered of a source that somebody has signed off: it stays so until somebody signs it on. */
export const SIGNED_OFF = 'engine.signed_off';

export interface Accounts {
  /** Signs in with the help of a person, step by step; `done` at once where nothing has to be asked. */
  login(source: string, answer: LoginAnswer): Promise<LoginProgress>;
  /** That it is signed off has been noted, or is no longer: does so, and waits for what comes of it. */
  signedOnOrOff(source: string): Promise<void>;
}
