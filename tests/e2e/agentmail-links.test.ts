import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { after, describe, test } from 'node:test';
import { createMailWorld, runAgentmail } from '../support/agentmail/program.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

describe('a mailman in a repository whose files are symbolic links', { timeout: 300_000 }, () => {
  const folder = realpathSync(temporaryFolder(after));
  const { server } = createMailWorld(after, folder);
  const start = (cwd: string) => runAgentmail(['mailman', '--daemon'], { cwd, env: server.env(server.first) });

  for (const path of ['.agentmail', '.agentmail/switchboard']) {
    test(`does not start if ${path} is a symbolic link`, async () => {
      const { project, elsewhere } = repositoryWithLink(path);
      mkdirSync(elsewhere);

      const { code, stdout, stderr } = await start(project);

      assert.deepEqual([code, stdout], [1, '']);
      assert.equal(stderr, `error: ${join(project, path)} is a symbolic link, which is not used for mail\n`);
      assert.deepEqual(readdirSync(elsewhere), []);
    });
  }

  test('does not write its log through a symbolic link', async () => {
    const { project, elsewhere } = repositoryWithLink('.agentmail/switchboard/mailman.log');
    writeFileSync(elsewhere, 'precious');

    const { code, stderr } = await start(project);

    assert.equal(code, 1);
    assert.match(stderr, /mailman\.log is a symbolic link, which is not used for mail\n$/);
    assert.equal(readFileSync(elsewhere, 'utf8'), 'precious');
    assert.equal(existsSync(join(project, '.agentmail', 'mailman.pid')), false);
  });

  function repositoryWithLink(path: string) {
    const project = join(realpathSync(temporaryFolder(after)), 'project');
    const elsewhere = join(dirname(project), 'elsewhere');
    mkdirSync(join(project, '.git'), { recursive: true });
    mkdirSync(dirname(join(project, path)), { recursive: true });
    symlinkSync(elsewhere, join(project, path));
    return { project, elsewhere };
  }
});
