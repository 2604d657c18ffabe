import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { after, describe, test } from 'node:test';
import { recordingPrograms } from '../../tests/support/recording-program.ts';
import { assertFails } from '../../tests/support/secrets/open-secrets.ts';
import { temporaryFolder } from '../../tests/support/temporary-folder.ts';
import { launchdPlist, systemdUnit } from './definitions.ts';
import { servicePort } from './port.ts';

const PROGRAM = { node: '/opt/my node', program: '/opt/50%/$x/"cli".js', port: 3000 };

function setting({ platform = 'linux', failing }: { platform?: NodeJS.Platform; failing?: string } = {}) {
  const userHome = temporaryFolder(after);
  const { path, calls } = recordingPrograms(temporaryFolder(after), ['systemctl', 'launchctl'], failing);
  const { node, program } = PROGRAM;
  const service = servicePort({ platform, env: { PATH: path }, userHome, user: 501, node, program });
  return { userHome, service, calls };
}

describe('the definition of the service', () => {
  test('quotes the special characters of systemd', () => {
    const unit = systemdUnit({ ...PROGRAM, home: '/home of 100%/$me' });

    assert.match(unit, /^ExecStart="\/opt\/my node" "\/opt\/50%%\/\$\$x\/\\"cli\\"\.js" "serve" "--port" "3000"$/m);
    assert.match(unit, /^Environment="SWITCHBOARD_HOME=\/home of 100%%\/\$me"$/m);
    assert.doesNotMatch(systemdUnit(PROGRAM), /Environment/);
  });

  test('escapes the special characters of XML', () => {
    const plist = launchdPlist({ node: '/a&b', program: '<x>', port: 1, home: '/h&h' });

    assert.match(plist, /<string>\/a&amp;b<\/string>\n {4}<string>&lt;x&gt;<\/string>\n {4}<string>serve<\/string>/);
    assert.match(plist, /<key>SWITCHBOARD_HOME<\/key>\n {4}<string>\/h&amp;h<\/string>/);
    assert.doesNotMatch(launchdPlist(PROGRAM), /EnvironmentVariables/);
  });
});

describe('the service', () => {
  test('on Linux is a user unit that is enabled and started, and restarted only when it changed', async () => {
    const { userHome, service, calls } = setting();

    const first = await service.install(3000);
    const started = calls();
    const again = await service.install(3000);
    const unchanged = calls();
    const other = await service.install(4000);

    const path = join(userHome, '.config/systemd/user/switchboard.service');
    assert.deepEqual(
      [first, again],
      [
        { path, changed: true, started: true },
        { path, changed: false, started: true },
      ],
    );
    assert.equal(other.changed, true);
    assert.deepEqual(started, [
      'systemctl --user daemon-reload',
      'systemctl --user enable switchboard.service',
      'systemctl --user restart switchboard.service',
    ]);
    assert.deepEqual(unchanged, ['systemctl --user enable --now switchboard.service']);
    assert.match(readFileSync(path, 'utf8'), /"4000"/);
  });

  test('on macOS is a launchd agent', async () => {
    const { userHome, service, calls } = setting({ platform: 'darwin', failing: 'bootout' });

    const { path } = await service.install(3000);
    await service.remove();

    assert.equal(path, join(userHome, 'Library/LaunchAgents/agent-switchboard.plist'));
    assert.deepEqual(calls(), [
      'launchctl bootout gui/501/agent-switchboard',
      `launchctl bootstrap gui/501 ${path}`,
      'launchctl bootout gui/501/agent-switchboard',
    ]);
    assert.equal(existsSync(path), false);
  });

  test('is stopped before it is removed, and a second removal does nothing', async () => {
    const { service, calls } = setting();
    const { path } = await service.install(3000);
    calls();

    const removed = await service.remove();

    assert.deepEqual(removed, { path });
    assert.equal(existsSync(path), false);
    assert.deepEqual(calls(), ['systemctl --user disable --now switchboard.service', 'systemctl --user daemon-reload']);
    await assertFails(service.remove(), 'NOT_FOUND', /not installed/);
  });

  test('a definition that Switchboard did not write is neither replaced nor removed', async () => {
    const { service, calls } = setting();
    const { path } = await service.preview(3000);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, '[Unit]\nDescription=mine\n');

    await assertFails(service.install(3000), 'CONFLICT', /not written by Switchboard/);
    await assertFails(service.remove(), 'CONFLICT', /not written by Switchboard/);

    assert.equal(readFileSync(path, 'utf8'), '[Unit]\nDescription=mine\n');
    assert.deepEqual(calls(), []);
  });

  test('a service manager that fails is reported with the command, and a missing one is reported too', async () => {
    const { service } = setting({ failing: 'restart' });
    const userHome = temporaryFolder(after);
    const { node, program } = PROGRAM;
    const alone = servicePort({ platform: 'linux', env: { PATH: userHome }, userHome, node, program });

    await assertFails(
      service.install(1),
      'SERVICE_UNAVAILABLE',
      /is written, but `systemctl --user restart .*` failed/,
    );
    const written = await alone.install(3000);
    await alone.remove();

    assert.equal(written.started, false);
    assert.equal(existsSync(written.path), false);
  });
});
