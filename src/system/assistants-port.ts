import type { Assistant } from '../domain/assistant.ts';

export interface AssistantEntry {
  assistant: Assistant;
  /** What the assistant calls this server. */
  name: string;
  /** Names of capabilities; empty means all. */
  only: readonly string[];
  /** Whether hooks report its status to agent mail and deliver its mail. */
  agentmail: boolean;
}

export interface ChangedFile {
  path: string;
  changed: boolean;
  backup?: string;
}

/** The configuration files of other programs. What is in them is kept. */
export interface AssistantsPort {
  /** The entry alone, in the language of that file. */
  preview(connection: AssistantEntry): Promise<{ path: string; text: string }>;
  /** Writes the entry; the file as it was stays beside it as `backup`. */
  connect(connection: AssistantEntry): Promise<ChangedFile & { agentmail?: MailSetUp }>;
}

/** What agent mail needed besides, and what is left for the user. */
export interface MailSetUp {
  files: ChangedFile[];
  next?: string;
}
