import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { asFields } from '../json-fields.ts';
import { attachmentsText, blocksText, type Names, plainText } from './text.ts';

const names: Names = {
  user: (id) => (id === 'U1' ? 'Ada' : undefined),
  channel: (id) => (id === 'C1' ? 'new-name' : undefined),
};

describe("Slack's markup", () => {
  const texts: Record<string, string> = {
    'hi <@U1> and <@U2|bob> and <@U3>': 'hi @Ada and @bob and @U3',
    'see <#C1|old-name>, <#C2|other>, <#C3>, <#C1|>': 'see #new-name, #other, #C3, #new-name',
    '<!here> <!channel> <!everyone|everyone> <!subteam^S1|@team> <!subteam^S2>': '@here @channel everyone @team @S2',
    '<!date^1392734382^{date}|18 February>': '18 February',
    '<https://example.test/a?b=1&amp;c=2>': 'https://example.test/a?b=1&c=2',
    '<https://example.test/|the page>': 'the page (https://example.test/)',
    '<http://example.test|example.test> <mailto:a@example.test|a@example.test>': 'example.test a@example.test',
    'a &lt;b&gt; &amp;amp; &quot;': 'a <b> &amp; &quot;',
    'an < alone > and <<nested>>': 'an  alone  and <nested>',
    '*bold* _it_ ~no~ `code`': '*bold* _it_ ~no~ `code`',
  };
  for (const [markup, expected] of Object.entries(texts)) {
    test(`${markup} reads ${expected}`, () => {
      assert.equal(plainText(markup, names), expected);
    });
  }

  test('never throws, and leaves text without markup as it is', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        plainText(text, names);
        const plain = text.replaceAll(/[<>&]/g, '');
        assert.equal(plainText(plain, names), plain);
      }),
    );
  });
});

describe('text of bots', () => {
  test('is read from all types of blocks', () => {
    const text = blocksText(
      {
        blocks: [
          { type: 'header', text: { type: 'plain_text', text: 'Build 7' } },
          { type: 'section', text: { type: 'mrkdwn', text: 'for <@U1>' }, fields: [{ type: 'mrkdwn', text: '*ok*' }] },
          {
            type: 'rich_text',
            elements: [
              {
                type: 'rich_text_section',
                elements: [
                  { type: 'text', text: 'see ' },
                  { type: 'link', url: 'https://ci.example.test/7', text: 'log' },
                  { type: 'text', text: ' ' },
                  { type: 'user', user_id: 'U1' },
                  { type: 'channel', channel_id: 'C1' },
                  { type: 'emoji', name: 'tada' },
                  { type: 'broadcast', range: 'here' },
                ],
              },
              {
                type: 'rich_text_list',
                elements: [
                  { type: 'rich_text_section', elements: [{ type: 'text', text: 'one' }] },
                  { type: 'rich_text_section', elements: [{ type: 'text', text: 'two' }] },
                ],
              },
            ],
          },
          { type: 'context', elements: [{ type: 'mrkdwn', text: 'by CI' }] },
          { type: 'image', alt_text: 'a graph', title: { type: 'plain_text', text: 'Times' } },
          { type: 'divider' },
        ],
      },
      names,
    );

    assert.equal(
      text,
      [
        'Build 7',
        'for @Ada',
        '*ok*',
        'see log (https://ci.example.test/7) @Ada#new-name:tada:@here',
        'one',
        'two',
        'by CI',
        'Times',
        'a graph',
      ].join('\n'),
    );
  });

  test('is read from attachments, with the fallback text only if there is no other', () => {
    const text = attachmentsText(
      [
        {
          pretext: 'New issue',
          title: 'Crash',
          text: 'It <https://x.test|crashes>',
          fields: [{ title: 'Priority', value: 'high' }],
          fallback: 'f',
        },
        { fallback: 'only this' },
      ],
      names,
    );

    assert.equal(text, 'New issue\nCrash\nIt crashes (https://x.test)\nPriority: high\nonly this');
  });

  test('never causes an exception', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), (value) => {
        blocksText({ blocks: [value, { elements: [value], type: value, text: value }] }, names);
        attachmentsText([asFields(value) ?? {}, { blocks: [value], fields: value, text: value }], names);
      }),
    );
  });

  test('is read to a limited depth', () => {
    let block: Record<string, unknown> = { type: 'text', text: 'deep' };
    for (let depth = 0; depth < 5_000; depth++) block = { type: 'rich_text', elements: [block] };

    assert.equal(blocksText({ blocks: [block] }, names), '');
  });
});
