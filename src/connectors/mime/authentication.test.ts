import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { authenticationOf } from './authentication.ts';

function results(...headers: string[]) {
  return authenticationOf(
    headers.map((header) => {
      const colon = header.indexOf(':');
      return { name: header.slice(0, colon).toLowerCase(), value: header.slice(colon + 1) };
    }),
  );
}

const RECEIVED = 'Received: from evil.test (evil.test [192.0.2.1]) by mx.example.test with ESMTPS id 1';
const PASS = 'Authentication-Results: mx.example.test; spf=pass; dkim=pass; dmarc=pass';

describe('the results of the receiving server', () => {
  test('are those of the topmost header', () => {
    const found = results(
      'Authentication-Results: mx.example.test; spf=fail (a; spf=pass) smtp.mailfrom=x; dkim=none;\r\n\tdmarc=fail',
      RECEIVED,
      PASS,
    );

    assert.deepEqual(found, { spf: 'fail', dkim: 'none', dmarc: 'fail' });
  });

  test('may be below the header of the same server', () => {
    assert.deepEqual(
      results(
        'Received: by 2002:a05:6a10:1 with SMTP id x; Mon',
        'ARC-Authentication-Results: i=1; mx.google.com; dkim=fail',
        'Received: from mail.corp.test by mx.google.com with ESMTPS id 1 for <a@gmail.com>',
        'Authentication-Results: mx.google.com; dkim=pass header.i=@corp.test; spf=softfail; dmarc=pass (p=NONE)',
      ),
      { spf: 'softfail', dkim: 'pass', dmarc: 'pass' },
    );
  });

  test('are not those that the sender wrote', () => {
    assert.equal(results(RECEIVED, 'Received: from x by mx.evil.test id 2', PASS), undefined);
    assert.equal(results(RECEIVED, 'Authentication-Results: mx.evil.test; dmarc=pass'), undefined);
    assert.equal(results('Authentication-Results: mx.evil.test; dmarc=pass', RECEIVED), undefined);
    assert.equal(results(RECEIVED, 'Authentication-Results: dmarc=pass'), undefined);
  });

  test('are not those that the sender wrote below a host without a domain', () => {
    const local = 'Received: from localhost by vm with LMTP id 1';
    for (const from of [
      '[192.0.2.1] (helo=vm)',
      'vm (unknown [IPv6:2001:db8::1])',
      '[127.0.0.1] (unknown [192.0.2.1])',
    ]) {
      const received = `Received: from ${from}\r\n\tby localhost with esmtp (Exim 4.96)`;

      assert.equal(results(local, received, PASS), undefined);
      assert.equal(results(local, received, 'Received: from x by mx.example.test id 2', PASS), undefined);
      assert.deepEqual(results('Authentication-Results: vm; dmarc=fail', local, received, PASS), { dmarc: 'fail' });
    }
  });

  test('are not believed because of what the sender has in the header of the host that got it', () => {
    const received = 'Received: from [192.0.2.1] (helo=vm)\r\n\tby localhost with esmtp (Exim 4.96)';
    for (const sender of ['"a by b with pop"@evil.test', '"a by mx.example.test"@evil.test']) {
      const forged = `${received}\r\n\t(envelope-from <${sender}>)\r\n\tid 1`;

      assert.equal(results('Received: from localhost by vm with LMTP id 1', forged, PASS), undefined, sender);
    }
  });

  test('are found below internal hosts', () => {
    const spf = { spf: 'pass', dkim: 'pass', dmarc: 'pass' };

    assert.deepEqual(results('Received: from localhost ([127.0.0.1]) by vm with LMTP', RECEIVED, PASS), spf);
    assert.deepEqual(results('Received: from mx (10.1.2.3) by store with SMTP', RECEIVED, PASS), spf);
    assert.deepEqual(
      results('Received: from imap.example.test [192.0.2.7] by localhost with IMAP (fetchmail-6.4)', RECEIVED, PASS),
      spf,
    );
  });

  test('of Microsoft have no name of a server', () => {
    const server =
      'Received: from mail.corp.test by AM0.mail.protection.outlook.com (2603::1) with Microsoft SMTP Server id 15';

    assert.deepEqual(
      results(
        server,
        'Authentication-Results: spf=pass (sender IP is 1.2.3.4) smtp.mailfrom=x; dkim=pass; dmarc=bestguesspass',
      ),
      { spf: 'pass', dkim: 'pass', dmarc: 'neutral' },
    );
  });

  test('of iCloud are in several headers, those of others in one', () => {
    const server = 'Received: from x by p00.mail.icloud.com id 1';
    const [dmarc, spf] = ['dmarc.icloud.com; dmarc=pass', 'spf.icloud.com; spf=fail'];

    assert.deepEqual(results(`Authentication-Results: ${dmarc}`, `Authentication-Results: ${spf}`, server), {
      dmarc: 'pass',
      spf: 'fail',
    });
    assert.deepEqual(results('Authentication-Results: mx.example.test; spf=fail', PASS, RECEIVED), { spf: 'fail' });
  });

  test('have one valid signature of several', () => {
    assert.deepEqual(results('Authentication-Results: a.test 1; dkim=fail; dkim=pass; DKIM/1 = permerror'), {
      dkim: 'pass',
    });
  });

  test('are missing where nothing is known', () => {
    assert.equal(results(), undefined);
    assert.equal(results('Authentication-Results: mx.example.test; none'), undefined);
    assert.equal(results('Authentication-Results: mx.example.test; auth=pass; spf=odd', RECEIVED), undefined);
  });
});
