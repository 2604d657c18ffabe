import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ASSISTANTS, type Assistant } from '../domain/assistant.ts';
import { isOnPath } from '../lib/on-path.ts';
import { type AssistantEnvironment, configurationFile } from './places.ts';

interface AssistantProgram {
  title: string;
  /** Its command, where it has one. */
  command?: string;
  /** What it needs besides the entry. */
  needs?: string;
}

const RESTART = 'Start it again to see Switchboard.';

const PROGRAMS: Readonly<Record<Assistant, AssistantProgram>> = {
  'claude-code': { title: 'Claude Code', command: 'claude' },
  'claude-desktop': { title: 'Claude Desktop' },
  codex: { title: 'Codex', command: 'codex' },
  cursor: { title: 'Cursor', command: 'cursor' },
  vscode: {
    title: 'VS Code',
    command: 'code',
    needs: 'VS Code asks once whether you trust the server, and offers its tools in agent mode.',
  },
  gemini: {
    title: 'Gemini CLI',
    command: 'gemini',
    needs: `${RESTART} Gemini CLI ignores MCP servers in folders that it does not trust: trust the folder when it asks, or with /permissions.`,
  },
  copilot: { title: 'Copilot CLI', command: 'copilot' },
  opencode: { title: 'opencode', command: 'opencode' },
  qwen: {
    title: 'Qwen Code',
    command: 'qwen',
    needs: `${RESTART} Where folder trust is on, Qwen Code ignores MCP servers in folders that it does not trust.`,
  },
  cline: { title: 'Cline', command: 'cline' },
  continue: { title: 'Continue', command: 'cn' },
  droid: { title: 'Droid', command: 'droid' },
  zed: { title: 'Zed', command: 'zed', needs: 'Zed reads its settings again by itself.' },
  windsurf: {
    title: 'Windsurf',
    command: 'windsurf',
    needs: 'Press Refresh in the list of MCP servers of Cascade, or start Windsurf again.',
  },
};

export function titleOf(assistant: Assistant): string {
  return PROGRAMS[assistant].title;
}

/** What the user still has to do or to know. */
export function needsOf(assistant: Assistant, { isNewFile }: { isNewFile: boolean }): string[] {
  const { needs = RESTART } = PROGRAMS[assistant];
  if (assistant !== 'continue' || !isNewFile) return [needs];
  return [needs, 'The file is new, and Continue uses it instead of its default configuration: add your models to it.'];
}

/** The assistants of this user, by their commands and the folders they keep. */
export function installedAssistants(around: AssistantEnvironment): Assistant[] {
  const isThere = (assistant: Assistant) => {
    const { command } = PROGRAMS[assistant];
    if (command !== undefined && isOnPath(command, around.env.PATH ?? '')) return true;
    return foldersOf(assistant, around).some((folder) => existsSync(folder));
  };
  return ASSISTANTS.filter(isThere);
}

function foldersOf(assistant: Assistant, around: AssistantEnvironment): string[] {
  const file = configurationFile(assistant, around);
  if (assistant === 'claude-code') return [file, join(around.userHome, '.claude')];
  if (assistant === 'cline') return [dirname(dirname(dirname(file)))];
  return [dirname(file)];
}
