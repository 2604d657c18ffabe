import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { htmlToText } from './html-text.ts';

describe('text that a reader of a page does not see', () => {
  const styles = [
    'display:none',
    'DISPLAY : NONE !important',
    'dis/**/play:none',
    'd\\69 splay:none',
    'display&colon;none'.replace('&colon;', '&#58;'),
    'visibility:hidden',
    'visibility:collapse',
    'font-size:0',
    'font-size:0px;line-height:0',
    'font-size:1px',
    'font-size:.01em',
    'font:0/0 a',
    'opacity:0',
    'opacity:0.01',
    'filter:opacity(0%)',
    'max-height:0',
    'max-height:0px;overflow:hidden',
    'height:0;overflow:hidden',
    'width:1px;height:1px;overflow:hidden',
    'color:#fff',
    'color:#FEFEFE',
    'color:white;background:#fff',
    'color:rgb(255, 255, 255)',
    'color:rgba(0,0,0,0)',
    'color:transparent',
    'color:#00000000',
    'background-color:black;color:black',
    'position:absolute;left:-9999px',
    'position:fixed; top: -100em',
    'text-indent:-9999px',
    'margin-left:-5000px',
    'position:absolute;clip:rect(0 0 0 0)',
    'clip-path:inset(100%)',
    'transform:scale(0)',
    'transform:translateX(-9999px)',
    'mso-hide:all',
    'content-visibility:hidden',
  ];
  for (const style of styles) {
    test(`style="${style}" is left out`, () => {
      assert.equal(htmlToText(`before<div style="${style}">secret <b>order</b></div>after`), 'before\nafter');
    });
  }

  const shown = [
    'font-size:14px',
    'color:#333',
    'color:#fff;background:#333',
    'color:#fff;background:url(x.png)',
    'color:inherit',
    'opacity:0.5',
    'max-height:none',
    'height:0',
    'overflow:hidden;height:20px',
    'text-indent:-10px',
    'margin-left:-8px',
    'display:block',
    'color:#ggg',
    'position:relative;left:2px',
  ];
  for (const style of shown) {
    test(`style="${style}" is shown`, () => {
      assert.equal(htmlToText(`<div style="${style}">text</div>`), 'text');
    });
  }

  const pages: Record<string, string> = {
    '<div hidden>secret<p>order</p></div>shown': 'shown',
    '<div hidden>secret <div>order</div> until the end': '',
    'shown<p style="display:none">secret<p>shown': 'shown\n\nshown',
    '<div>a<span hidden>secret</div>b': 'a\nb',
    '<div hidden><table><tr><td></div>secret</td></tr></table></div>shown': 'shown',
    '<p><font style="display:none">secret</p><p>secret too</font>shown': 'shown',
    '<table><tr><td><font hidden>secret</td><td>shown</td></tr></table>': 'shown',
    '<div style="visibility:hidden">secret<span style="visibility:visible">shown</span></div>': 'shown',
    '<td style="font-size:0">secret<div style="font-size:14px">shown<i style="font-size:50%">too</i></div></td>':
      'showntoo',
    '<div style="font-size:0"><span style="font-size:2em">secret</span></div>shown': 'shown',
    '<td style="overflow:hidden;width:0">shown</td>': 'shown',
    '<table bgcolor="#112233"><tr><td style="color:#fff">shown<font color="#112233">secret</font></td></tr></table>':
      'shown',
    '<td background="dark.png" style="color:white">shown</td>': 'shown',
    '<div style="color:#fff">secret<a href="https://x.test/">shown</a></div>': 'shown (https://x.test/)',
    '<a style="mso-hide:all" href="https://x.test/">a button</a>': 'a button (https://x.test/)',
    '<p style="display:none" style="display:block">secret</p>': '',
    '<template><template></template>secret</template>shown': 'shown',
    '</ secret order>shown': 'shown',
    '<x_y secret order>shown': 'shown',
    '<!-- secret --!>shown<!-->shown<!--->shown': 'shownshownshown',
    'shown<![CDATA[secret]]>shown<?secret?>shown': 'shownshownshown',
    'shown<a title="secret order': 'shown',
    'shown<div secret order': 'shown',
    '<!--[if mso]>secret<![endif]--><!--[if !mso]><!-->shown<!--<![endif]-->': 'shown',
    '<div aria-hidden="true">shown</div>': 'shown',
    '<style>.x{display:none}</style><p class="a x">secret</p><p class="y">shown': 'shown',
    '<style>.x{display:none!important}</style><p class="x" style="display:block">secret</p>': '',
    '<style>.x{display:none}</style><p class="x" style="display:block">shown</p>': 'shown',
    '<style>p.x, #y {color:#fff}</style><p class="x">secret</p><b id="y">secret</b><i class="x">shown': 'shown',
    '<style>@media print{.x{display:none}} @media screen{.y{display:none}}</style><i class="x">shown</i><i class="y">secret':
      'shown',
    '<style>@import "a.css"; .dark td{background:#222}</style><table class="dark"><td style="color:#fff">shown</td></table>':
      'shown',
    '<style>@media all{.x{display:none}</style><p class="x">secret</p>': '',
    '<style>div .x{display:none}</style><div><p><b class="x">secret</b>shown</p></div><b class="x">outside':
      'shown\n\noutside',
    '<style>.w > .x, #y .x{display:none}</style><p id="y"><b class="x">secret</b></p><b class="x">shown</b>': 'shown',
    '<style>.x.y{display:none}</style><p class="x">shown</p><p class="y x">secret</p>': 'shown',
    '<style>body * .x{font-size:0}</style><p class="x">secret</p>': '',
    '<style>.x{display:none} .w .x{display:block}</style><div class="w"><p class="x">shown</p></div><p class="x">secret':
      'shown',
    '<div class="w"><style>.w .x{display:none}</style><b class="x">secret</b></div><b class="x">shown</b>': 'shown',
    '<style>.w .x{display:none}</style><ul><li class="w">shown<li class="x">shown</ul><p class="w">shown<p class="x">shown':
      '- shown\n- shown\n\nshown\n\nshown',
    '<style>u + .w .x{display:none}</style><div class="w"><p class="x">shown</p></div>': 'shown',
    'Hello &zwnj;&nbsp;&#847;&zwnj;&nbsp;&#65279; world': 'Hello world',
    'می\u200cخواهم': 'می\u200cخواهم',
  };
  for (const [html, text] of Object.entries(pages)) {
    test(`${html} reads ${JSON.stringify(text)}`, () => {
      assert.equal(htmlToText(html), text);
    });
  }

  test('stays hidden whatever is in it', () => {
    const inner = fc.array(
      fc.constantFrom(
        '<p>',
        '</p>',
        '<b>',
        '</b>',
        '<td>',
        '</td>',
        '<table>',
        '</table>',
        '<li>',
        '</ul>',
        '</x>',
        '<br>',
      ),
      { maxLength: 12 },
    );
    fc.assert(
      fc.property(inner, inner, (one, other) => {
        const html = `<div style="display:none">${one.join('')}secret${other.join('')}secret`;

        assert.doesNotMatch(htmlToText(html), /secret/);
      }),
    );
  });
});

describe('a page that was made to be slow', () => {
  const units: Record<string, string> = {
    'nested elements': '<div><span>',
    'stray end tags': '<div></b></p>',
    'hidden elements': '<b hidden><p>',
    'formatting elements': '<p><font color=red>',
    'open links': '<a href="https://x.test/">a',
    'nested lists': '<ul><li>',
    'nested tables': '<table><tr><td>',
    'nested quotations': '<blockquote>x<br>',
    'unclosed quotes': '<a b=\'"',
    'unclosed comments': '<!--',
    'open comments in styles': '<p style="/*/*">',
    'open raw elements': '<script>',
    'style sheets': '<style>{{a{b:c}</style><p class="a b">',
    entities: '&#x26;',
  };
  for (const [name, unit] of Object.entries(units)) {
    test(`by ${name} is read once`, () => {
      const html = unit.repeat(Math.ceil(500_000 / unit.length));

      assert.equal(typeof htmlToText(html), 'string');
    });
  }
});
