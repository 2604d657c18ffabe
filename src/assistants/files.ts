import { join } from 'node:path';
import type { Assistant } from '../domain/assistant.ts';
import { AppError } from '../domain/errors.ts';
import { version } from '../lib/version.ts';
import { agentmailCommand, canHaveMail, hooksFile, hooksOf, hooksPart } from './agent-mail.ts';
import { claudeSettingsFile, pluginFiles, pluginFolder, pluginSettings } from './claude-plugin.ts';
import { takesAddresses } from './entry-shapes.ts';
import { entryPart, type FilePart } from './file-parts.ts';
import type { Launch } from './launch.ts';
import { type AssistantEnvironment, configurationFile } from './places.ts';
import { titleOf } from './programs.ts';

/** This installation, as other programs start it. */
export interface Installation extends AssistantEnvironment {
  /** Node and our program, with absolute paths: assistants start us without a shell and with a minimal PATH. */
  node: string;
  program: string;
  /** The command `npx`, where we run from its cache, which may be emptied. */
  npx?: string;
  /** The home, where it is not the usual one. */
  home?: string;
}

export interface Connection {
  assistant: Assistant;
  name: string;
  only: readonly string[];
  agentmail: boolean;
  /** The address and the token of a server, instead of a process. */
  http?: { url: string; token: string };
}

/** A file, and what of ours is in it: parts, or everything. */
export type AssistantFile =
  | { path: string; kind: 'shared'; parts: readonly FilePart[] }
  | { path: string; kind: 'own'; content: string };

/** Each file once, so that its backup is from before all changes. The first has the entry. */
export async function filesOf(
  installation: Installation,
  connection: Connection,
): Promise<[AssistantFile, ...AssistantFile[]]> {
  const { assistant, name } = connection;
  const path = configurationFile(assistant, installation);
  const entry = await entryPart(assistant, name, launchOf(installation, connection));
  const mail = connection.agentmail ? mailFiles(installation, assistant) : [];
  const more = mail.flatMap((file) => (file.path === path && file.kind === 'shared' ? file.parts : []));
  return [{ path, kind: 'shared', parts: [entry, ...more] }, ...mail.filter((file) => file.path !== path)];
}

export function homeOf({ home, userHome }: Installation): string {
  return home ?? join(userHome, '.switchboard');
}

function launchOf(installation: Installation, { assistant, only, http }: Connection): Launch {
  if (http) {
    if (!takesAddresses(assistant)) throw noAddresses(assistant);
    return { kind: 'http', url: http.url, headers: { Authorization: `Bearer ${http.token}` } };
  }
  const { node, program, npx, home } = installation;
  const start = npx === undefined ? [node, program] : [npx, '-y', `agent-switchboard@${version()}`];
  const [command = node, ...args] = [...start, 'mcp', ...(only.length === 0 ? [] : ['--only', only.join(',')])];
  return { kind: 'stdio', command, args, env: home === undefined ? {} : { SWITCHBOARD_HOME: home } };
}

/** The other files of agent mail, in an order in which every step finds what it needs. */
function mailFiles(installation: Installation, assistant: Assistant): AssistantFile[] {
  if (!canHaveMail(assistant)) {
    throw new AppError('VALIDATION_ERROR', `${assistant} has no hooks that agent mail could use.`, {
      field: 'agentmail',
      hint: 'Without --agentmail it is connected all the same, and has the tools of agent mail.',
    });
  }
  const agentmail = agentmailCommand(installation.node, installation.program);
  const hooks = hooksOf(assistant, agentmail);
  if (assistant !== 'claude-code') {
    return [{ path: hooksFile(assistant, installation), kind: 'shared', parts: [hooksPart(hooks)] }];
  }
  const home = homeOf(installation);
  const plugin = Object.entries(pluginFiles(agentmail, version()));
  return [
    ...plugin.map(([path, content]) => ({ path: join(pluginFolder(home), path), kind: 'own' as const, content })),
    { path: claudeSettingsFile(installation), kind: 'shared', parts: pluginSettings(home) },
  ];
}

export function assertStableHooks({ npx }: Installation): void {
  if (npx === undefined) return;
  throw new AppError('CONFLICT', 'This Switchboard runs from the cache of npx, and hooks need one that is installed.', {
    hint: 'npm install -g agent-switchboard, and run this again with `switchboard`.',
  });
}

function noAddresses(assistant: Assistant): AppError {
  return new AppError('VALIDATION_ERROR', `${titleOf(assistant)} takes no addresses from its configuration file.`, {
    field: 'http',
    hint: 'Without --http it starts Switchboard itself.',
  });
}
