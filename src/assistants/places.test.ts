import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { temporaryFolder } from '../../tests/support/temporary-folder.ts';
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
      '/home/ada/.copilot/mcp-config.json',
      '/home/ada/.config/opencode/opencode.jsonc',
      '/home/ada/.qwen/settings.json',
      '/home/ada/.cline/data/settings/cline_mcp_settings.json',
      '/home/ada/.continue/config.yaml',
      '/home/ada/.factory/mcp.json',
      '/home/ada/.config/zed/settings.json',
      '/home/ada/.codeium/windsurf/mcp_config.json',
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
      '/home/ada/.copilot/mcp-config.json',
      '/home/ada/.config/opencode/opencode.jsonc',
      '/home/ada/.qwen/settings.json',
      '/home/ada/.cline/data/settings/cline_mcp_settings.json',
      '/home/ada/.continue/config.yaml',
      '/home/ada/.factory/mcp.json',
      '/home/ada/.config/zed/settings.json',
      '/home/ada/.codeium/windsurf/mcp_config.json',
    ]);
  });

  test('at the path of their own variables', () => {
    const env = {
      XDG_CONFIG_HOME: '/xdg',
      CLAUDE_CONFIG_DIR: '/claude',
      CODEX_HOME: '/codex',
      COPILOT_HOME: '/copilot',
      QWEN_HOME: '/qwen',
      CLINE_DATA_DIR: '/cline',
      CONTINUE_GLOBAL_DIR: '/continue',
    };

    assert.deepEqual(files('linux', env), [
      '/claude/.claude.json',
      '/xdg/Claude/claude_desktop_config.json',
      '/codex/config.toml',
      '/home/ada/.cursor/mcp.json',
      '/xdg/Code/User/mcp.json',
      '/home/ada/.gemini/settings.json',
      '/copilot/mcp-config.json',
      '/xdg/opencode/opencode.jsonc',
      '/qwen/settings.json',
      '/cline/settings/cline_mcp_settings.json',
      '/continue/config.yaml',
      '/home/ada/.factory/mcp.json',
      '/xdg/zed/settings.json',
      '/home/ada/.codeium/windsurf/mcp_config.json',
    ]);
  });

  test('opencode has its own file where it has been created under the other name', () => {
    const userHome = temporaryFolder(after);
    const folder = join(userHome, '.config', 'opencode');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'opencode.json'), '{}');

    const file = configurationFile('opencode', { platform: 'linux', env: {}, userHome });

    assert.equal(file, join(folder, 'opencode.json'));
  });
});
