import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { contextWith } from '../../../tests/support/operation-context.ts';
import type { DaemonPort, DaemonView } from '../daemon-port.ts';
import { daemonLogs } from './daemon-logs.ts';
import { daemonStatus } from './daemon-status.ts';
import { daemonStop } from './daemon-stop.ts';

const running: DaemonView = { running: true, pid: 7, version: '1.2.3', kind: 'auto', uptime_ms: 61_000, clients: 2 };

function withDaemon(view: DaemonView, lines: readonly string[] = []) {
  const daemon: DaemonPort = {
    status: async () => view,
    stop: async () => (view.running ? { stopped: true, pid: view.pid } : { stopped: false }),
    logs: async ({ lines: count, after = 0 }) => ({
      path: '/h/logs/daemon.log',
      lines: lines.slice(after).slice(-count),
      position: lines.length,
    }),
    call: () => Promise.reject(new Error('not expected')),
    followLogs: () => Promise.reject(new Error('not expected')),
  };
  return contextWith({ daemon });
}

describe('the daemon commands', () => {
  test('status reports the owner of the home, its clients and its URL', async () => {
    const view = await daemonStatus.run({}, withDaemon({ ...running, kind: 'serve', url: 'http://127.0.0.1:3000' }));

    assert.equal(
      daemonStatus.render?.(daemonStatus.output.parse(view)),
      'switchboard serve, process 7, version 1.2.3, up for 61 s.\nAttached: 2.\nHTTP: http://127.0.0.1:3000',
    );
  });

  test('status reports that the home has no owner', async () => {
    const view = await daemonStatus.run({}, withDaemon({ running: false }));

    assert.match(daemonStatus.render?.(daemonStatus.output.parse(view)) ?? '', /^No daemon runs/);
  });

  test('stop reports whether a daemon was running', async () => {
    const outputs = await Promise.all(
      [running, { running: false }].map((view) => daemonStop.run({}, withDaemon(view))),
    );

    assert.deepEqual(
      outputs.map((output) => daemonStop.render?.(daemonStop.output.parse(output))),
      ['Process 7 has ended.', 'No daemon ran.'],
    );
  });

  test('logs are the last lines, or the path where there are none', async () => {
    const some = await daemonLogs.run(daemonLogs.input.parse({ lines: 1 }), withDaemon(running, ['first', 'last']));
    const none = await daemonLogs.run(daemonLogs.input.parse({}), withDaemon(running));

    assert.equal(daemonLogs.render?.(daemonLogs.output.parse(some)), 'last');
    assert.match(daemonLogs.render?.(daemonLogs.output.parse(none)) ?? '', /daemon\.log\.$/);
  });

  test('logs are followed on request, from the end of the previous output', () => {
    const { isWanted, resume } = daemonLogs.follow ?? {};
    const asked = daemonLogs.input.parse({ follow: true });

    assert.deepEqual([isWanted?.(daemonLogs.input.parse({})), isWanted?.(asked)], [false, true]);
    assert.deepEqual(resume?.(asked, { path: '/h', lines: ['a'], position: 9 }), {
      lines: 100,
      follow: true,
      after: 9,
    });
  });
});
