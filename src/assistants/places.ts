import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Assistant } from '../domain/assistant.ts';

/** The facts that decide where a program stores its files. */
export interface AssistantEnvironment {
  platform: NodeJS.Platform;
  env: Readonly<Record<string, string | undefined>>;
  userHome: string;
}

/** The path of the user's configuration of an assistant, independent of the working directory. */
export function configurationFile(assistant: Assistant, around: AssistantEnvironment): string {
  const { env, userHome } = around;
  switch (assistant) {
    case 'claude-code':
      return join(env.CLAUDE_CONFIG_DIR || userHome, '.claude.json');
    case 'claude-desktop':
      return join(applicationsFolder(around), 'Claude', 'claude_desktop_config.json');
    case 'codex':
      return join(env.CODEX_HOME || join(userHome, '.codex'), 'config.toml');
    case 'cursor':
      return join(userHome, '.cursor', 'mcp.json');
    case 'vscode':
      return join(applicationsFolder(around), 'Code', 'User', 'mcp.json');
    case 'gemini':
      return join(userHome, '.gemini', 'settings.json');
    case 'copilot':
      return join(env.COPILOT_HOME || join(userHome, '.copilot'), 'mcp-config.json');
    case 'opencode':
      return opencodeFile(around);
    case 'qwen':
      return join(env.QWEN_HOME || join(userHome, '.qwen'), 'settings.json');
    case 'cline':
      return clineFile(around);
    case 'continue':
      return join(env.CONTINUE_GLOBAL_DIR || join(userHome, '.continue'), 'config.yaml');
    case 'droid':
      return join(userHome, '.factory', 'mcp.json');
    case 'zed':
      return join(zedFolder(around), 'settings.json');
    case 'windsurf':
      return join(userHome, '.codeium', 'windsurf', 'mcp_config.json');
  }
}

/** Where desktop applications keep what belongs to the user. */
function applicationsFolder({ platform, env, userHome }: AssistantEnvironment): string {
  return platform === 'darwin'
    ? join(userHome, 'Library', 'Application Support')
    : env.XDG_CONFIG_HOME || join(userHome, '.config');
}

/** It reads both names, and creates the first. */
function opencodeFile({ env, userHome }: AssistantEnvironment): string {
  const folder = join(env.XDG_CONFIG_HOME || join(userHome, '.config'), 'opencode');
  const [preferred, other] = [join(folder, 'opencode.jsonc'), join(folder, 'opencode.json')];
  return !existsSync(preferred) && existsSync(other) ? other : preferred;
}

function clineFile({ env, userHome }: AssistantEnvironment): string {
  if (env.CLINE_MCP_SETTINGS_PATH) return env.CLINE_MCP_SETTINGS_PATH;
  const data = env.CLINE_DATA_DIR || join(env.CLINE_DIR || join(userHome, '.cline'), 'data');
  return join(data, 'settings', 'cline_mcp_settings.json');
}

/** On macOS it ignores XDG_CONFIG_HOME. */
function zedFolder({ platform, env, userHome }: AssistantEnvironment): string {
  const base = platform === 'darwin' ? '' : env.XDG_CONFIG_HOME;
  return join(base || join(userHome, '.config'), 'zed');
}
