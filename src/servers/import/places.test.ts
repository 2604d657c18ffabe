import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { temporaryFolder } from '../../../tests/support/temporary-folder.ts';
import { importPlaces, readConfigFile, readEnvFile } from './places.ts';

describe('the files of other programs', () => {
  test('are where these programs have them on Linux', () => {
    const places = importPlaces({ home: '/home/me', cwd: '/code', platform: 'linux', env: {} });

    assert.deepEqual(places, {
      'claude-code': ['/code/.mcp.json', '/home/me/.claude.json'],
      'claude-desktop': ['/home/me/.config/Claude/claude_desktop_config.json'],
      cursor: ['/code/.cursor/mcp.json', '/home/me/.cursor/mcp.json'],
      vscode: [
        '/code/.vscode/mcp.json',
        '/home/me/.config/Code/User/mcp.json',
        '/home/me/.config/Code - Insiders/User/mcp.json',
        '/home/me/.config/Code/User/settings.json',
        '/home/me/.config/Code - Insiders/User/settings.json',
      ],
      windsurf: ['/home/me/.codeium/windsurf/mcp_config.json'],
    });
  });

  test('are elsewhere on macOS, and where variables say', () => {
    const mac = importPlaces({ home: '/Users/me', cwd: '/code', platform: 'darwin', env: {} });
    const moved = importPlaces({
      home: '/home/me',
      cwd: '/code',
      platform: 'linux',
      env: { XDG_CONFIG_HOME: '/config', CLAUDE_CONFIG_DIR: '/claude' },
    });

    assert.deepEqual(mac['claude-desktop'], [
      '/Users/me/Library/Application Support/Claude/claude_desktop_config.json',
    ]);
    assert.equal(moved['claude-code'][1], '/claude/.claude.json');
    assert.equal(moved['claude-desktop'][0], '/config/Claude/claude_desktop_config.json');
  });
});

describe('a file', () => {
  const folder = temporaryFolder(after);
  const path = (name: string) => join(folder, name);

  test('is read, through a symbolic link, too; one that does not exist is not', () => {
    writeFileSync(path('mcp.json'), '{}');
    symlinkSync(path('mcp.json'), path('link.json'));

    assert.equal(readConfigFile(path('link.json')), '{}');
    assert.equal(readConfigFile(path('missing.json')), undefined);
    assert.equal(readConfigFile(path('mcp.json/x')), undefined);
  });

  test('that is no regular file, or too large, is refused without being read', () => {
    mkdirSync(path('folder'));
    execFileSync('sh', ['-c', 'mkfifo "$0"', path('pipe')]);
    writeFileSync(path('large'), '');
    truncateSync(path('large'), 2 ** 40);

    for (const name of ['folder', 'pipe', 'large']) {
      assert.throws(() => readConfigFile(path(name)), { code: 'VALIDATION_ERROR', field: 'path' }, name);
      assert.equal(readEnvFile(path(name)), undefined, name);
    }
  });
});
