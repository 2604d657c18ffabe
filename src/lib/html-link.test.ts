import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { linkNote } from './html-link.ts';

describe('the note after a link', () => {
  const links: [href: string, text: string, note: string | undefined][] = [
    ['https://example.test/a', 'the page', 'https://example.test/a'],
    ['https://example.test/a', 'https://example.test/a', undefined],
    ['https://www.example.test/', 'example.test', undefined],
    ['https://example.test/login', 'www.example.test', 'https://example.test/login'],
    ['https://evil.test/', 'paypal.com', 'leads to another site: https://evil.test/'],
    ['https://evil.test/', 'https://paypal.com/login', 'leads to another site: https://evil.test/'],
    ['https://paypal.com@evil.test/', 'paypal.com', 'leads to another site: https://paypal.com@evil.test/'],
    ['https://paypal.com.evil.test/', 'paypal.com', 'leads to another site: https://paypal.com.evil.test/'],
    ['https://раypal.com/', 'paypal.com', 'leads to another site: https://xn--ypal-43d9g.com/'],
    ['https://login.example.test/x', 'example.test', 'https://login.example.test/x'],
    ['https://files.example.test/1', 'report.pdf', 'https://files.example.test/1'],
    [`https://click.test/${'x'.repeat(300)}`, 'Read more', 'https://click.test/…'],
    [`https://click.test/${'x'.repeat(300)}`, 'bank.com', 'leads to another site: https://click.test/…'],
    ['ht\ntps://exam\tple.test/', 'x', 'https://example.test/'],
    ['mailto:help@example.test?subject=x', 'write to us', 'help@example.test'],
    ['mailto:help@example.test', 'Help@example.test', undefined],
    ['javascript:alert(1)', 'x', undefined],
    ['https://', 'x', undefined],
    ['https://example.test', '', undefined],
    ['#top', 'up', undefined],
  ];
  for (const [href, text, note] of links) {
    test(`to ${href.slice(0, 60)} from ${JSON.stringify(text)} is ${note?.slice(0, 60)}`, () => {
      assert.equal(linkNote(href, text), note);
    });
  }
});
