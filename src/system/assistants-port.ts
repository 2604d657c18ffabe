import type { Assistant } from '../domain/assistant.ts';

export interface AssistantEntry {
  assistant: Assistant;
  /** The name of this server in the assistant. */
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

/** The configuration files of other programs. Their other content is kept. */
export interface AssistantsPort {
  /** The entry alone, in the language of that file. */
  preview(connection: AssistantEntry): Promise<{ path: string; text: string }>;
  /** Writes the entry; the previous file is kept beside it as `backup`. */
  connect(connection: AssistantEntry): Promise<ChangedFile & { agentmail?: MailSetUp }>;
}

/** The additional files for agent mail, and the remaining steps for the user. */
export interface MailSetUp {
  files: ChangedFile[];
  next?: string;
}
