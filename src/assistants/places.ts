import { join } from 'node:path';
import type { Assistant } from '../domain/assistant.ts';

/** The facts that decide where a program stores its files. */
export interface AssistantEnvironment {
  platform: NodeJS.Platform;
  env: Readonly<Record<string, string | undefined>>;
  userHome: string;
}

/** The path of the user's configuration of an assistant, independent of the working directory. */
export function configurationFile(assistant: Assistant, { platform, env, userHome }: AssistantEnvironment): string {
  const applications =
    platform === 'darwin'
      ? join(userHome, 'Library', 'Application Support')
      : env.XDG_CONFIG_HOME || join(userHome, '.config');
  switch (assistant) {
    case 'claude-code':
      return join(env.CLAUDE_CONFIG_DIR || userHome, '.claude.json');
    case 'claude-desktop':
      return join(applications, 'Claude', 'claude_desktop_config.json');
    case 'codex':
      return join(env.CODEX_HOME || join(userHome, '.codex'), 'config.toml');
    case 'cursor':
      return join(userHome, '.cursor', 'mcp.json');
    case 'vscode':
      return join(applications, 'Code', 'User', 'mcp.json');
    case 'gemini':
      return join(userHome, '.gemini', 'settings.json');
  }
}
