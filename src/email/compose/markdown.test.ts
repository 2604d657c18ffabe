import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { isFormatted, markdownToHtml, textToHtml } from './html-body.ts';

const HARMLESS = new RegExp(
  [
    '</?(?:p|em|strong|s|code|pre|blockquote|ul|ol|li|h[1-6]|table|thead|tbody|tr|th|td)>|</?a>|<br>|<hr>',
    '<a href="(?:https?://|mailto:)[^"<>]*"(?: title="[^"<>]*")?>',
    '<ol start="\\d+">|<code class="[^"<>]*">|<t[hd] style="text-align:(?:left|center|right)">',
  ].join('|'),
  'gi',
);

describe('Markdown as HTML', () => {
  test('has emphasis, lists, links and code', async () => {
    const html = await markdownToHtml(
      'Hi **Joe**,\nsee [the page](https://example.org/?a=1&b=2)\n\n- one\n- two\n\n`x < y`',
    );

    assert.equal(
      html,
      '<p>Hi <strong>Joe</strong>,<br>\nsee <a href="https://example.org/?a=1&amp;b=2">the page</a></p>\n<ul>\n<li>one</li>\n<li>two</li>\n</ul>\n<p><code>x &lt; y</code></p>\n',
    );
  });

  test('links what is an address of the web, and nothing that only looks like one', async () => {
    const html = await markdownToHtml('https://example.org/x and example.org and joe@example.org');

    assert.equal(
      html,
      '<p><a href="https://example.org/x">https://example.org/x</a> and example.org and joe@example.org</p>\n',
    );
  });

  test('shows HTML as text', async () => {
    const html = await markdownToHtml('<script>alert(1)</script> <img src=x onerror=alert(1)>');

    assert.equal(html, '<p>&lt;script&gt;alert(1)&lt;/script&gt; &lt;img src=x onerror=alert(1)&gt;</p>\n');
  });

  test('never links to what runs or reads something', async () => {
    for (const url of [
      'javascript:alert(1)',
      'JaVaScRiPt:alert(1)',
      '&#106;avascript:alert(1)',
      'java%0ascript:alert(1)',
      'vbscript:x',
      'data:text/html,<script>alert(1)</script>',
      'data:image/png;base64,AAAA',
      'file:///etc/passwd',
      '//evil.test/x',
      '/relative',
      'ftp://example.org',
    ]) {
      assert.doesNotMatch(await markdownToHtml(`[text](${url}) ![image](${url}) <${url}>`), /<a|<img|href|src=/, url);
    }
  });

  test('has a link in place of an image, which would be loaded by its reader', async () => {
    const html = await markdownToHtml('![Our "logo"](https://example.org/logo.png) ![](http://t.test/p.gif)');

    assert.equal(
      html,
      '<p><a href="https://example.org/logo.png">Our &quot;logo&quot;</a> <a href="http://t.test/p.gif">http://t.test/p.gif</a></p>\n',
    );
  });

  test('leaves the text of a link or an image to nowhere', async () => {
    assert.equal(await markdownToHtml('[text]() ![image]()'), '<p><a>text</a> image</p>\n');
  });

  test('contains only harmless elements and attributes, whatever is written', async () => {
    const pieces = [
      '<script>',
      '[',
      '](',
      'javascript:',
      'https://x.test',
      '![',
      '"',
      "'",
      '\n',
      '> ',
      '```',
      '`',
      '<a href=',
      '&lt;',
      '|',
      '-',
      '# ',
      '&#x6A;',
      '\0',
      ')',
    ];
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.oneof(fc.constantFrom(...pieces), fc.string({ unit: 'binary', maxLength: 8 })), { maxLength: 30 }),
        async (parts) => {
          const html = await markdownToHtml(parts.join(''));

          assert.deepEqual(problemsIn(html), []);
          assert.deepEqual(problemsIn(textToHtml(parts.join(''))), []);
        },
      ),
    );
  });

  test('takes no long time for what is nested or repeated many times', async () => {
    for (const text of [
      '> '.repeat(50_000),
      '['.repeat(50_000),
      '*a_'.repeat(30_000),
      '`'.repeat(50_000),
      '![](x'.repeat(20_000),
    ]) {
      assert.deepEqual(problemsIn(await markdownToHtml(text)), []);
    }
  });
});

test('plain words need no HTML', async () => {
  assert.equal(isFormatted(await markdownToHtml('Hi Joe,\nthanks!\n\nAlice & Bob')), false);
  assert.equal(isFormatted(await markdownToHtml('Hi **Joe**')), true);
  assert.equal(isFormatted(await markdownToHtml('- one')), true);
});

/** What is left of the tags after all harmless ones are taken away. */
function problemsIn(html: string): string[] {
  return html.replaceAll(HARMLESS, '').match(/[<>].{0,80}/gs) ?? [];
}
