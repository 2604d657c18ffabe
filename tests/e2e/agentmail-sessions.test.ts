import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { createMailWorld } from '../support/agentmail/program.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

describe('two tmux sessions of one repository', () => {
  test('mail for a window is not delivered to a window of the same name in another session while the first exists', async (t) => {
    const { server, as } = createMailWorld((end) => t.after(end), join(temporaryFolder(after), 'same-name'));
    const meant = server.addWindow('a2');
    const other = server.addSession('other', 'a2');
    await as(server.first, 'send', '-r', 'a2', '-m', 'for the first session');
    await as(server.first, 'send', '-r', 'a2', '-m', 'for it too');

    const astray = await as(other, 'receive');
    const seen = await as(other, 'history');
    const received = await as(meant, 'receive');
    server.tmux('kill-window', '-t', meant);
    const inherited = await as(other, 'receive');

    assert.equal(astray.stdout, 'No unread messages\n', astray.stderr);
    assert.doesNotMatch(seen.stdout, /for it too/);
    assert.match(received.stdout, /for the first session$/);
    assert.match(inherited.stdout, /for it too$/);
  });

  test('mail for a window is not delivered to a window of another session that had its name before', async (t) => {
    const { server, as } = createMailWorld((end) => t.after(end), join(temporaryFolder(after), 'past-name'));
    const other = server.addSession('other', 'a2');
    await as(other, 'status', 'ready');
    server.rename(other, 'b1');
    const meant = server.addWindow('a2');
    await as(server.first, 'send', '-r', 'a2', '-m', 'for a2');

    const astray = await as(other, 'receive');
    const received = await as(meant, 'receive');

    assert.equal(astray.stdout, 'No unread messages\n', astray.stderr);
    assert.match(received.stdout, /for a2$/);
  });
});
