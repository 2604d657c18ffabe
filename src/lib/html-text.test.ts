import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { htmlToText } from './html-text.ts';

describe('a page as text', () => {
  const pages: Record<string, string> = {
    '<p>one</p><p>two</p>': 'one\n\ntwo',
    '<div>one</div><div>two<br>three<br><br><br>four</div>': 'one\ntwo\nthree\n\nfour',
    ' a\n\tb <b>c</b>d ': 'a b cd',
    '<ul><li>one<li>two</ul>after': '- one\n- two\n\nafter',
    '<table><tr><td>a</td><td>b</td></tr><tr><td>c</td></tr></table>': 'a b\nc',
    '<pre>one\ntwo</pre>': 'one\ntwo',
    '&lt;b&gt; &amp;amp; &eacute;&#8364;&#x1F600;&#150;&nbsp;&unknown; &#0; a&b':
      '<b> &amp; é€😀– &unknown; \ufffd a&b',
    'see <a href="https://example.test/a?b=1&amp;c=2">the page</a>.': 'see the page (https://example.test/a?b=1&c=2).',
    '<a href="https://example.test/">example.test</a> <a href="javascript:x">no</a> <a href="https://x.test"><img></a>':
      'example.test no',
    '<a href="https://a.test/1">one<a href="https://b.test/2">two': 'one (https://a.test/1)two (https://b.test/2)',
    '<img alt="Sale!" src="https://track.test/1.gif">': 'Sale!',
    'x<img alt="secret" src="https://track.test/1.gif" width="1" height=1>': 'x',
    '<style>p{}</style><script>if (a < b) "<p>";</script><title>t</title>x<!-- <p>no</p> --><!DOCTYPE html><?php?>y':
      'xy',
    '<script>"<script>"</script>shown': 'shown',
    '<div style="display:none">secret <div>order</div> still</div>shown': 'shown',
    '<span hidden>secret</span><p title="a hidden gem">shown</p><p style="opacity: 0.5">too</p>': 'shown\n\ntoo',
    'a < b and c <3 d<': 'a < b and c <3 d<',
    '<a title="a > b">x</a><p it\'s>y</p><p a=it\'s>z': 'x\n\ny\n\nz',
    '<ol><li>one<li>two<ul><li>inner</ul><li>three</ol>': '1. one\n2. two\n\n- inner\n\n3. three',
    '<pre>if x:\n    y  z</pre>': 'if x:\n    y  z',
    'I agree.<blockquote type="cite"><p>first</p><p>second<blockquote>inner</blockquote></p></blockquote>bye':
      'I agree.\n\n> first\n>\n> second\n>\n>> inner\n\nbye',
    '<blockquote style="margin:0 0 0 40px;border:none">only indented</blockquote>': 'only indented',
    'a<span style="display:block">b</span>c': 'a\nb\nc',
    'soft\u00adhyphen\u200b and\ufeff more': 'softhyphen and more',
    '<style>p{}': '',
  };
  for (const [html, expected] of Object.entries(pages)) {
    test(`${html} reads ${JSON.stringify(expected)}`, () => {
      assert.equal(htmlToText(html), expected);
    });
  }

  test('keeps every word of a page, even with broken tags', () => {
    const piece = fc.oneof(
      fc.constantFrom(
        '<p>',
        '</p>',
        '<b',
        '>',
        '</',
        '<a href="x"',
        '"',
        "'",
        '<div style="color:red">',
        '&',
        '&#',
        '<li>',
      ),
      fc.string({ unit: 'binary', maxLength: 8 }),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 20 }), (pieces) => {
        assert.equal(typeof htmlToText(pieces.join('')), 'string');
      }),
    );
    fc.assert(
      fc.property(fc.array(fc.stringMatching(/^[a-z]{1,8}$/), { minLength: 1 }), (words) => {
        const html = words.map((word) => `<div><p class="x">${word}</p></div>`).join('');

        assert.equal(htmlToText(html), words.join('\n\n'));
      }),
    );
  });

  test('needs no more time for a page that was made to be slow', () => {
    const units = [
      '<a ',
      "<a '",
      '<a "\'',
      '<div hidden>',
      '<!--',
      '<',
      '&#',
      '<script',
      '<p style="display',
      ' '.repeat(9),
      '<a href=x>',
    ];

    for (const unit of units) {
      const html = `${unit.repeat(Math.ceil(1_000_000 / unit.length))}">"`;
      assert.equal(typeof htmlToText(html), 'string');
    }
  });
});
