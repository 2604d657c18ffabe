import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { organisationDomain } from './organisation-domain.ts';

describe('the domain of an organisation', () => {
  const hosts: Record<string, string | undefined> = {
    'example.test': 'example.test',
    'MX.mail.Example.test.': 'example.test',
    'mail.example.co.uk': 'example.co.uk',
    'example.com.au': 'example.com.au',
    'mail.t-online.de': 't-online.de',
    'mx.bbc.uk': 'bbc.uk',
    'почта.рф': 'почта.рф',
    localhost: undefined,
    '192.0.2.1': undefined,
    '2001:db8::1': undefined,
    'a..b': undefined,
    '': undefined,
  };
  for (const [host, domain] of Object.entries(hosts)) {
    test(`of ${host} is ${domain}`, () => {
      assert.equal(organisationDomain(host), domain);
    });
  }
});
