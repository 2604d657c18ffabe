import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { AppError } from '../../domain/errors.ts';

export const IMPORT_PROGRAMS = ['claude-code', 'claude-desktop', 'cursor', 'vscode', 'windsurf'] as const;
export type ImportProgram = (typeof IMPORT_PROGRAMS)[number];

/** Claude Code keeps the history of its sessions in the same file. */
const MAX_BYTES = 32 * 1024 * 1024;
const MAX_ENV_FILE_BYTES = 256 * 1024;

interface ImportSurroundings {
  home: string;
  cwd: string;
  platform: NodeJS.Platform;
  env: Readonly<Record<string, string | undefined>>;
}

/** The files in which each program has its servers: of the working directory first, then of the user. */
export function importPlaces(surroundings: ImportSurroundings): Record<ImportProgram, readonly string[]> {
  const { home, cwd, platform, env } = surroundings;
  const applications =
    platform === 'darwin' ? join(home, 'Library', 'Application Support') : env.XDG_CONFIG_HOME || join(home, '.config');
  const code = ['Code', 'Code - Insiders'].map((folder) => join(applications, folder, 'User'));
  return {
    'claude-code': [join(cwd, '.mcp.json'), join(env.CLAUDE_CONFIG_DIR || home, '.claude.json')],
    'claude-desktop': [join(applications, 'Claude', 'claude_desktop_config.json')],
    cursor: [join(cwd, '.cursor', 'mcp.json'), join(home, '.cursor', 'mcp.json')],
    vscode: [
      join(cwd, '.vscode', 'mcp.json'),
      ...code.map((folder) => join(folder, 'mcp.json')),
      ...code.map((folder) => join(folder, 'settings.json')),
    ],
    windsurf: [join(home, '.codeium', 'windsurf', 'mcp_config.json')],
  };
}

/** The text of a configuration file; undefined when there is none. */
export function readConfigFile(path: string): string | undefined {
  return readRegularFile(path, MAX_BYTES);
}

/** The text of a file with variables; undefined when it cannot be read. */
export function readEnvFile(path: string): string | undefined {
  try {
    return readRegularFile(path, MAX_ENV_FILE_BYTES);
  } catch {
    return undefined;
  }
}

function readRegularFile(path: string, maxBytes: number): string | undefined {
  const file = opened(path);
  if (file === undefined) return undefined;
  try {
    const found = fstatSync(file);
    // Anything else (a folder, a pipe, a device) may never end.
    if (!found.isFile()) throw unreadable(path, 'is not a file');
    if (found.size > maxBytes) throw unreadable(path, `is larger than ${maxBytes / 1024} KiB`);
    return readFileSync(file, 'utf8');
  } finally {
    closeSync(file);
  }
}

function opened(path: string): number | undefined {
  try {
    // Opening a pipe would wait for its other end.
    return openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw unreadable(path, 'cannot be read', cause);
  }
}

function unreadable(path: string, problem: string, cause?: unknown): AppError {
  return new AppError('VALIDATION_ERROR', `${path} ${problem}.`, { field: 'path', cause });
}
