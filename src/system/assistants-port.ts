import type { Assistant } from '../domain/assistant.ts';

export interface AssistantEntry {
  assistant: Assistant;
  /** The name of this server in the assistant. */
  name: string;
  /** Names of capabilities; empty means all. */
  only: readonly string[];
  /** Whether hooks report its status to agent mail and deliver its mail. */
  agentmail: boolean;
  /** The address and the token of a server, instead of a process. */
  http?: { url: string; token: string };
}

/** An assistant of this user. */
export interface FoundAssistant {
  assistant: Assistant;
  title: string;
  /** Its configuration. */
  path: string;
  /** Whether it has our entry. */
  connected: boolean;
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
  connect(connection: AssistantEntry): Promise<ChangedFile & { notes: string[]; agentmail?: MailSetUp }>;
  /** Fails where `connect` would, without writing anything. */
  check(connection: AssistantEntry): Promise<void>;
  /** Takes the entry out, and with `agentmail` its hooks. */
  remove(
    connection: Pick<AssistantEntry, 'assistant' | 'name' | 'agentmail'>,
  ): Promise<ChangedFile & { files: ChangedFile[]; hadToken: boolean }>;
  /** The assistants that are installed. */
  find(name: string): Promise<FoundAssistant[]>;
}

/** The additional files for agent mail, and the remaining steps for the user. */
export interface MailSetUp {
  files: ChangedFile[];
  next?: string;
}
