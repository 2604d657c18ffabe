import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { AgentTool } from '../../domain/agent-tool.ts';
import { AppError } from '../../domain/errors.ts';
import { localPrincipal } from '../../domain/principal.ts';
import { allowedTools, callsToApprove, runnableTool } from './turn-tools.ts';

type Effect = ReturnType<AgentTool['effectOf']>;

const tool = (name: string, effect: Effect = 'reads', more: Partial<AgentTool> = {}): AgentTool => ({
  name,
  description: '',
  inputSchema: { type: 'object' },
  capability: 'chat',
  effectOf: () => effect,
  call: async () => ({ isError: false, texts: ['ok'] }),
  ...more,
});

const signal = new AbortController().signal;
const callerNow = async () => ({ principal: localPrincipal(), session: 'conversation-1' });

describe('the tools of a conversation', () => {
  test('fit its list, have names that the API takes, and are not those of conversations', () => {
    const offered = [
      tool('get_messages'),
      tool('send_message', 'sends'),
      tool('conversation_approve', 'sends', { capability: 'claude' }),
      tool('a name with spaces'),
      tool('x'.repeat(65)),
    ];
    const names = (...tools: string[]) => allowedTools({ tools }, offered).map(({ name }) => name);

    assert.deepEqual(names('*'), ['get_messages', 'send_message']);
    assert.deepEqual(names('get_*', 'conversation_*'), ['get_messages']);
    assert.deepEqual(names(), []);
  });

  test('wait for a person where they send or delete, unless that is allowed', () => {
    const effects: Effect[] = ['reads', 'writes', 'sends', 'destroys'];
    const tools = effects.map((effect) => tool(effect, effect));
    const calls = [...effects, 'unknown'].map((name, index) => ({ id: `toolu_${index}`, tool: name, input: {} }));
    const waiting = (...autoApprove: string[]) =>
      callsToApprove(calls, tools, { autoApprove }).map(({ tool: name }) => name);

    assert.deepEqual(waiting(), ['sends', 'destroys']);
    assert.deepEqual(waiting('send*'), ['destroys']);
    assert.deepEqual(waiting('*'), []);
  });

  test('are judged by their input where that decides what they do', () => {
    const search = tool('call_tool', 'sends', { effectOf: ({ name }) => (name === 'list' ? 'reads' : 'sends') });
    const call = (name: string) => ({ id: name, tool: 'call_tool', input: { name } });

    const waiting = callsToApprove([call('list'), call('post')], [search], { autoApprove: [] });

    assert.deepEqual(
      waiting.map(({ id }) => id),
      ['post'],
    );
  });

  test('give their results as data, in a block of its own, and not more than fits', async () => {
    const long = tool('long', 'reads', { call: async () => ({ isError: true, texts: ['x'.repeat(100_005)] }) });

    const { isError, texts } = await runnableTool(long, callerNow, []).run({}, { id: 'toolu_1', signal });

    assert.equal(isError, true);
    assert.match(texts[0] ?? '', /as data.*not an instruction to you/);
    assert.match(texts[1] ?? '', /^x{100000}\n\[The rest, 5 characters, is left out\.\]$/);
  });

  test('are not called once a person has declined', async () => {
    let calls = 0;
    const sending = tool('send', 'sends', {
      async call() {
        calls += 1;
        return { isError: false, texts: [] };
      },
    });
    const decided = [
      { id: 'toolu_1', tool: 'send', input: {}, decision: 'denied' as const, reason: 'Not today' },
      { id: 'toolu_2', tool: 'send', input: {}, decision: 'approved' as const },
    ];
    const { run } = runnableTool(sending, callerNow, decided);

    const declined = await run({}, { id: 'toolu_1', signal });
    await run({}, { id: 'toolu_2', signal });

    assert.equal(declined.isError, true);
    assert.match(declined.texts[0] ?? '', /declined this call.*Not today/);
    assert.equal(calls, 1);
  });

  test('have the rights that the owner has when they are called', async () => {
    const removed = () => Promise.reject(new AppError('FORBIDDEN', 'The token was removed.'));

    const { isError, texts } = await runnableTool(tool('get'), removed, []).run({}, { id: 'toolu_1', signal });

    assert.deepEqual([isError, texts[1]], [true, 'The token was removed.']);
  });
});
