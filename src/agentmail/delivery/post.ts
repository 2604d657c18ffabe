import type { AgentContext, AgentStatus } from '../agent.ts';
import type { Letter, SentLetter } from '../letter.ts';
import type { StatusReason } from './wake-methods.ts';

/** A letter that was found and is held for its reader. It is marked read only when the reader has it. */
export interface Taken {
  letter: Letter;
  /** How many more are unread. */
  remaining: number;
  /** The reader has it: marked read, on disk. */
  done(): Promise<void>;
  /** The reader could not be given it: it is next again. */
  putBack(): Promise<void>;
}

export interface Recipient {
  name: string;
  isCurrent: boolean;
  status?: AgentStatus;
}

/** Mail between agents, on its files alone. Every door, and the `agentmail` command, goes through this. */
export interface PostOffice {
  /** On disk when this returns. Refuses with RECIPIENT_NOT_FOUND, TOO_LARGE, VALIDATION_ERROR, CONFLICT (loop guard), BUSY. */
  send(at: AgentContext, to: string, message: string): Promise<{ id: string; to: string; state: 'stored' }>;
  /** The oldest unread letter; undefined where there is none. */
  take(at: AgentContext): Promise<Taken | undefined>;
  recipients(at: AgentContext): Promise<readonly Recipient[]>;
  setStatus(at: AgentContext, status: AgentStatus, reason?: StatusReason): Promise<void>;
  /** What we sent and how far each has come, newest first. */
  sent(at: AgentContext, options: { limit: number }): Promise<readonly SentLetter[]>;
  /** What was received, read or not, newest last; takes nothing. */
  history(at: AgentContext, options: { limit: number; with?: string }): Promise<readonly Letter[]>;
  close(): void;
}
