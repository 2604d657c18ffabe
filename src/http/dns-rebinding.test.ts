import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { describe, test } from 'node:test';
import { createOriginGuard, type GuardSettings, isLoopback } from './origin-guard.ts';

const LOCAL: GuardSettings = { host: '127.0.0.1', allowedHosts: [], allowedOrigins: [] };
const PUBLIC: GuardSettings = { ...LOCAL, host: '0.0.0.0' };

describe('a name that was rebound to this machine', () => {
  for (const host of [
    'evil.example',
    'evil.example:3000',
    'localhost.evil.example',
    '127.0.0.1.evil.example:3000',
    'localhost.',
    'localhost@evil.example',
    'evil.example@localhost',
    'localhost:3000@evil.example',
    'localhost/evil',
    'localhost\\evil',
    'localhost#evil',
    'localhost?evil',
    'localhost:evil',
    ' localhost',
    '0.0.0.0',
    '0.0.0.0:3000',
    '127.0.0.2',
    '[::ffff:127.0.0.1]',
    '[::]',
    '[fe80::1]',
    '169.254.169.254',
    '192.168.1.5',
    '[',
    ':3000',
    '',
    undefined,
  ]) {
    test(`is refused: Host ${host}`, () => {
      assert.equal(judge(LOCAL, host), 'Host');
    });
  }
});

describe('this machine, by any of its own names', () => {
  for (const host of [
    '127.0.0.1',
    '127.0.0.1:3000',
    'localhost',
    'LocalHost:80',
    '[::1]',
    '[::1]:3000',
    '[0:0:0:0:0:0:0:1]',
  ]) {
    test(`may be requested: Host ${host}`, () => {
      assert.equal(judge(LOCAL, host), undefined);
    });
  }

  test('includes the address it listens on, in any notation', () => {
    assert.equal(judge({ ...LOCAL, host: '127.0.0.2' }, '127.0.0.2:3000'), undefined);
    assert.equal(judge({ ...LOCAL, host: 'Box.Local' }, 'box.local:3000'), undefined);
    assert.equal(judge({ ...LOCAL, host: '::1' }, '[::1]:3000'), undefined);
    assert.equal(judge({ ...LOCAL, host: 'fd00::5' }, '[fd00::5]:3000'), undefined);
  });

  test('includes a name from the configuration, with or without a port', () => {
    const settings = { ...LOCAL, allowedHosts: ['Proxy.example', 'other.example:8443', 'fd00::7'] };

    assert.equal(judge(settings, 'proxy.EXAMPLE:443'), undefined);
    assert.equal(judge(settings, 'other.example'), undefined);
    assert.equal(judge(settings, '[fd00::7]:3000'), undefined);
    assert.equal(judge(settings, 'proxy.example.evil'), 'Host');
  });
});

describe('on a public address', () => {
  test('any IP address may be requested, since no name was resolved', () => {
    assert.equal(judge(PUBLIC, '192.168.1.5:3000'), undefined);
    assert.equal(judge(PUBLIC, '[fd00::5]:3000'), undefined);
    assert.equal(judge(PUBLIC, 'evil.example:3000'), 'Host');
  });

  test('a page on another IP address is foreign', () => {
    assert.equal(judge(PUBLIC, '192.168.1.5:3000', 'http://6.6.6.6'), 'Origin');
    assert.equal(judge(PUBLIC, '192.168.1.5:3000', 'http://192.168.1.6:3000'), 'Origin');
    assert.equal(judge(PUBLIC, '192.168.1.5:3000', 'http://192.168.1.5:3000'), undefined);
  });
});

describe('a foreign page', () => {
  for (const origin of [
    'null',
    '',
    'https://evil.example',
    'http://localhost.evil.example',
    'http://localhost@evil.example',
    'http://evil.example#localhost',
    'http://evil.example?localhost',
    'http://127.0.0.1.nip.io',
    'file://',
    'file://localhost',
    'chrome-extension://localhost',
    'data:text/html,localhost',
    'localhost',
    'javascript:alert(1)',
    'http://',
    'http://[',
  ]) {
    test(`is refused: Origin ${origin || 'empty'}`, () => {
      assert.equal(judge(LOCAL, 'localhost:3000', origin), 'Origin');
    });
  }
});

describe('a page of another server of this machine', () => {
  for (const origin of [
    'http://localhost:5173',
    'http://localhost',
    'https://localhost:3000',
    'https://localhost',
    'http://127.0.0.1:3000',
    'http://[::1]:3000',
    'http://localhost:3000.evil.example',
    'http://localhost:30000',
  ]) {
    test(`is refused, because any program can serve one: Origin ${origin}`, () => {
      assert.equal(judge(LOCAL, 'localhost:3000', origin), 'Origin');
    });
  }

  test('is refused where only its scheme differs, on the ports that no browser names', () => {
    assert.equal(judge(LOCAL, 'localhost', 'https://localhost'), 'Origin');
    assert.equal(judge(LOCAL, 'localhost:80', 'http://localhost'), undefined);
  });

  for (const site of ['cross-site', 'same-site', 'Same-Origin', '']) {
    test(`is refused without an Origin, by Sec-Fetch-Site ${site || 'empty'}`, () => {
      assert.equal(judge(LOCAL, 'localhost:3000', undefined, site), 'Sec-Fetch-Site');
    });
  }

  test('is refused when redirects lead through it', () => {
    assert.equal(judge(LOCAL, 'localhost:3000', 'http://localhost:3000', 'cross-site'), 'Sec-Fetch-Site');
  });
});

describe('an allowed page', () => {
  for (const [host, origin] of [
    ['localhost:3000', 'http://localhost:3000'],
    ['LocalHost:3000', 'http://LOCALHOST:3000'],
    ['127.0.0.1:8080', 'http://127.0.0.1:8080'],
    ['[::1]:3000', 'http://[::1]:3000'],
  ] as const) {
    test(`is our own: Host ${host}, Origin ${origin}`, () => {
      assert.equal(judge(LOCAL, host, origin), undefined);
      assert.equal(judge(LOCAL, host, origin, 'same-origin'), undefined);
    });
  }

  test('is our own behind a proxy that adds TLS', () => {
    const settings = { ...LOCAL, allowedHosts: ['proxy.example'] };

    assert.equal(judge(settings, 'proxy.example', 'https://proxy.example'), undefined);
    assert.equal(judge(settings, 'proxy.example', 'https://other.example'), 'Origin');
  });

  test('may be opened by the user, who enters its address', () => {
    assert.equal(judge(LOCAL, 'localhost:3000', undefined, 'none'), undefined);
  });

  test('is one from the configuration, exactly', () => {
    const settings = { ...LOCAL, allowedOrigins: ['https://Page.example', 'http://localhost:5173'] };

    assert.equal(judge(settings, 'localhost', 'https://page.example', 'cross-site'), undefined);
    assert.equal(judge(settings, 'localhost:3000', 'http://localhost:5173', 'same-site'), undefined);
    assert.equal(judge(settings, 'localhost', 'http://page.example'), 'Origin');
    assert.equal(judge(settings, 'localhost', 'https://page.example:8443'), 'Origin');
  });

  test('is never `null`, which any page can send', () => {
    assert.equal(judge({ ...LOCAL, allowedOrigins: ['null'] }, 'localhost', 'null'), 'Origin');
  });

  test('is refused with a Host that is refused', () => {
    assert.equal(
      judge({ ...LOCAL, allowedOrigins: ['https://page.example'] }, 'evil.example', 'https://page.example'),
      'Host',
    );
  });
});

test('loopback includes only addresses that never leave this machine', () => {
  for (const host of ['127.0.0.1', '127.8.8.8', 'localhost', 'LOCALHOST', '::1', '[::1]', '0:0:0:0:0:0:0:1']) {
    assert.equal(isLoopback(host), true, host);
  }
  for (const host of [
    '0.0.0.0',
    '::',
    '',
    '127.0.0.1.evil.example',
    '127.1.example',
    'localhost.evil',
    '10.0.0.1',
    '[::]',
  ]) {
    assert.equal(isLoopback(host), false, host);
  }
});

/** The header that the request is refused for. */
function judge(settings: GuardSettings, host?: string, origin?: string, site?: string): string | undefined {
  const headers = Object.fromEntries(
    Object.entries({ host, origin, 'sec-fetch-site': site }).filter(([, value]) => value !== undefined),
  );
  const verdict = createOriginGuard(settings)({ headers } as unknown as IncomingMessage);
  return verdict.kind === 'refused' ? verdict.header : undefined;
}
