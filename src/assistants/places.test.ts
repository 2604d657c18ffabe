import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ASSISTANTS } from '../domain/assistant.ts';
import { configurationFile } from './places.ts';

const files = (platform: NodeJS.Platform, env: Record<string, string> = {}) =>
  ASSISTANTS.map((assistant) => configurationFile(assistant, { platform, env, userHome: '/home/ada' }));

describe('the configuration files of assistants', () => {
  test('on Linux', () => {
    assert.deepEqual(files('linux'), [
      '/home/ada/.claude.json',
      '/home/ada/.config/Claude/claude_desktop_config.json',
      '/home/ada/.codex/config.toml',
      '/home/ada/.cursor/mcp.json',
      '/home/ada/.config/Code/User/mcp.json',
      '/home/ada/.gemini/settings.json',
    ]);
  });

  test('on macOS', () => {
    const support = '/home/ada/Library/Application Support';

    assert.deepEqual(files('darwin'), [
      '/home/ada/.claude.json',
      `${support}/Claude/claude_desktop_config.json`,
      '/home/ada/.codex/config.toml',
      '/home/ada/.cursor/mcp.json',
      `${support}/Code/User/mcp.json`,
      '/home/ada/.gemini/settings.json',
    ]);
  });

  test('at the path of their own variables', () => {
    const env = { XDG_CONFIG_HOME: '/xdg', CLAUDE_CONFIG_DIR: '/claude', CODEX_HOME: '/codex' };

    assert.deepEqual(files('linux', env), [
      '/claude/.claude.json',
      '/xdg/Claude/claude_desktop_config.json',
      '/codex/config.toml',
      '/home/ada/.cursor/mcp.json',
      '/xdg/Code/User/mcp.json',
      '/home/ada/.gemini/settings.json',
    ]);
  });
});
