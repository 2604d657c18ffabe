import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type ClaudeHome, claudeHome, stdioIn } from '../support/claude/claude-home.ts';
import { answerOf, calling, says, toolUse } from '../support/claude/frames.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const SOON = { 'retry-after-ms': '20' };

describe('a Claude API in trouble', () => {
  const folder = temporaryFolder(after);
  let world: ClaudeHome;
  let client: Awaited<ReturnType<typeof stdioIn>>;

  before(async () => {
    world = await claudeHome(folder);
    client = await stdioIn(world);
  });

  after(async () => {
    const { noise, stderr } = await client.stop();
    world.api.close();
    assert.deepEqual(noise, []);
    assert.doesNotMatch(stderr, /sk-ant/);
  });

  const start = async (input: object = {}) =>
    String((await client.tools.call('conversation_start', { tools: [], ...input })).conversation_id);
  const send = (id: string, text: string, more: object = {}) =>
    client.tools.call('conversation_send', { conversation_id: id, text, ...more });
  const failure = (id: string, text: string, more: object = {}) =>
    client.tools.refusal('conversation_send', { conversation_id: id, text, ...more });
  const textsOf = async (id: string) => {
    const { messages } = await client.tools.call('conversation_history', { conversation_id: id });
    return (messages as { role: string; text: string; state: string }[]).map(
      ({ role, text, state }) => `${role}: ${text}${state === 'partial' ? ' (partial)' : ''}`,
    );
  };

  test('is asked again after 429 and 529, as its headers say', async () => {
    const id = await start();
    world.api.script({ status: 429, headers: SOON }, { status: 529, headers: SOON }, says('At last.'));

    const answer = await send(id, 'Hi');

    assert.equal(answer.text, 'At last.');
    assert.deepEqual(
      world.api.requests.map(({ headers }) => headers['x-stainless-retry-count']),
      ['0', '1', '2'],
    );
  });

  test('that limits requests says how long to wait; the message is kept and answered when it is sent again', async () => {
    const id = await start();
    const limited = { status: 429, headers: { ...SOON, 'retry-after': '7' } };
    world.api.script(limited, limited, limited);
    const once = { client_message_id: 'a' };

    const error = await failure(id, 'Hi', once);
    const kept = await textsOf(id);
    world.api.script(says('Hello.'));
    const again = await send(id, 'Hi', once);

    assert.deepEqual(
      [error.code, error.message],
      ['RATE_LIMITED', 'The Claude API allows no more requests now. It asks to wait 7 s.'],
    );
    assert.deepEqual(kept, ['user: Hi']);
    assert.equal(again.text, 'Hello.');
    assert.deepEqual(await textsOf(id), ['user: Hi', 'assistant: Hello.']);
  });

  for (const [status, code] of [
    [529, 'BUSY'],
    [500, 'SERVICE_UNAVAILABLE'],
    [401, 'SERVICE_UNAVAILABLE'],
    [403, 'SERVICE_UNAVAILABLE'],
    [404, 'NOT_FOUND'],
    [400, 'VALIDATION_ERROR'],
    [413, 'CONFLICT'],
  ] as const) {
    test(`that answers ${status} is ${code}, in our own words`, async () => {
      const id = await start();
      const refused = { status, headers: SOON };
      world.api.script(refused, refused, refused);

      const error = await failure(id, 'Hi');

      assert.equal(error.code, code);
      assert.doesNotMatch(JSON.stringify(error), /IGNORE/);
    });
  }

  test('that breaks off before a word arrived is asked once more', async () => {
    const id = await start();
    world.api.script({ answer: says('Lost.'), cutAfter: 1 }, says('Whole.'));
    const cut = await send(id, 'First');
    world.api.script({ answer: says('Lost.'), overloadedAfter: 2 }, says('Whole again.'));

    const overloaded = await send(id, 'Second');

    assert.deepEqual([cut.text, overloaded.text], ['Whole.', 'Whole again.']);
    assert.equal(world.api.requests.length, 2);
  });

  test('that breaks off while it speaks is not asked again; what it said is kept', async () => {
    const id = await start();
    world.api.script({ answer: says('Once upon a time'), cutAfter: 6 }, says('Never.'));
    const cut = await failure(id, 'A story');
    const asked = world.api.requests.length;
    world.api.script({ answer: says('It was a dark'), overloadedAfter: 6 });
    const overloaded = await failure(id, 'Another');
    world.api.script(says('The end.'));
    const last = await send(id, 'How does it end?');

    assert.deepEqual([cut.code, asked, overloaded.code, last.text], ['NETWORK_ERROR', 1, 'BUSY', 'The end.']);
    assert.match((await textsOf(id))[1] ?? '', /^assistant: Once upon.* \(partial\)$/);
  });

  test('that breaks off between two tools goes on with what is stored', async () => {
    const id = await start({ tools: ['list_sources'] });
    world.api.script(calling('list_sources'), { answer: says('Lost.'), cutAfter: 1 }, says('Nothing is connected.'));

    const answer = await send(id, 'What is connected?');

    assert.equal(answer.text, 'Nothing is connected.');
    const [, cut, again] = world.api.requests;
    assert.deepEqual(again?.body.messages, cut?.body.messages);
  });

  test('that never answers is given up after the time of a turn', async () => {
    const id = await start({ budget: { seconds: 1 } });
    world.api.script('hang');

    const answer = await send(id, 'Are you there?');

    assert.equal(answer.status, 'limit_reached');
  });

  test('is not asked more often than the limit of a turn allows', async () => {
    const id = await start({ tools: ['list_sources'], budget: { iterations: 2 } });
    world.api.script(calling('list_sources'), calling('list_sources'), says('Never.'));

    const answer = await send(id, 'Forever');
    world.api.script(says('Fine.'));
    const next = await send(id, 'Stop');

    assert.deepEqual([answer.status, next.text], ['limit_reached', 'Fine.']);
    assert.match(JSON.stringify(world.api.requests[0]?.body.messages), /Not carried out: a limit/);
  });

  test('costs no more than the budget of a conversation', async () => {
    const id = await start({ tools: ['list_sources'], budget: { tokens: 1_000 } });
    const greedy = answerOf([toolUse('list_sources')], { usage: { input_tokens: 2_000, output_tokens: 100 } });
    world.api.script(greedy, says('Never.'));
    const paid = await start({ budget: { usd: 0.001 } });

    const answer = await send(id, 'Go on');
    const asked = world.api.requests.length;
    const spent = await failure(id, 'More');
    world.api.script(says('Dear.', { usage: { input_tokens: 1_000 } }));
    await send(paid, 'How much?');
    const tooMuch = await failure(paid, 'More');
    const unknown = await start({ model: 'claude-unheard-of', budget: { usd: 1 } });
    const priceless = await failure(unknown, 'How much?');

    assert.deepEqual([answer.status, asked, spent.code, tooMuch.code], ['limit_reached', 1, 'CONFLICT', 'CONFLICT']);
    assert.match(spent.message, /budget .* used up \(tokens\)/);
    assert.match(tooMuch.message, /budget .* used up \(usd\)/);
    assert.match(priceless.message, /price of this model is not known/);
  });

  test('gets a history of 100,000 tokens whole, each time', async () => {
    const id = await start();
    const page = 'All work and no play makes Jack a dull boy. '.repeat(2_400);
    for (let number = 1; number <= 4; number++) {
      world.api.script(says(`Page ${number}: ${page.slice(0, 5_000)}`));
      await send(id, `${number} ${page}`);
    }
    world.api.script(says('A long book.'));

    const answer = await send(id, 'What was that?');

    const sent = world.api.requests[0]?.body.messages ?? [];
    assert.equal(answer.text, 'A long book.');
    assert.equal(sent.length, 9);
    assert.ok(JSON.stringify(sent).length > 400_000);
    const { messages, next_cursor: cursor } = await client.tools.call('conversation_history', {
      conversation_id: id,
      limit: 3,
    });
    assert.deepEqual([(messages as unknown[]).length, cursor], [3, '8']);
  });
});
