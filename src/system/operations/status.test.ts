import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { sourcesStatus } from '../../chat/status.ts';
import { completed } from '../../operation.ts';
import { serversStatus } from '../../servers/status.ts';
import { status as declared } from './status.ts';

/** As in the program, with the status of chat and servers. */
const status = completed(declared, () => ({ capabilities: [], status: [sourcesStatus, serversStatus], grants: [] }));

const base = {
  version: '1.2.3',
  uptime_ms: 42_000,
  capabilities: ['chat'],
  sources: [],
  servers: [],
  sessions: 0,
  store: { kind: 'sqlite' as const, location: '/h/switchboard.db', bytes: 4096, schema: 2 },
};

describe('status', () => {
  test('an empty program reports what is not configured', () => {
    const text = status.render?.({ ...base, capabilities: [] });

    assert.equal(
      text,
      [
        'Switchboard 1.2.3, up for 42 s.',
        'Capabilities: none.',
        'Sources: none.',
        'Servers: none.',
        'Sessions open: 0.',
        'Store: sqlite at /h/switchboard.db, 4 KB, schema 2.',
      ].join('\n'),
    );
  });

  test('sources and servers are named with their state, and the key provider with its kind', () => {
    const text = status.render?.({
      ...base,
      sources: [{ id: 'demo', name: 'Demo', is_connected: true }],
      servers: [{ id: 'github', name: 'GitHub', state: 'running' }],
      secrets: 'encrypted files',
    });

    assert.match(
      text ?? '',
      /Sources: demo \(connected\)\.\nServers: github \(running\)\..*Secrets: encrypted files\.$/s,
    );
  });

  test('uptime is shown in the two largest units', () => {
    const told = [59_999, 60_000, 3_660_000, 90_000_000].map(
      (uptime_ms) => status.render?.({ ...base, uptime_ms })?.split('\n')[0],
    );

    assert.deepEqual(
      told.map((line) => line?.replace('Switchboard 1.2.3, up for ', '')),
      ['59 s.', '1 min.', '1 h 1 min.', '1 d 1 h.'],
    );
  });
});
