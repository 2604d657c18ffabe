import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type RoomContext, toInbound } from './convert.ts';
import { otherContent } from './other-content.ts';

const PLAIN = { event_id: '$1', sender: '@bob:x', origin_server_ts: 1 };
const IN_ROOM: RoomContext = { room: '!r', me: '@me:x', displayName: () => undefined, reaction: () => undefined };
const POLL = {
  type: 'org.matrix.msc3381.poll.start',
  content: {
    'org.matrix.msc3381.poll.start': {
      question: { 'org.matrix.msc1767.text': 'Lunch?', body: 'Lunch?', msgtype: 'm.text' },
      answers: [
        { id: '1', 'org.matrix.msc1767.text': 'Soup' },
        { id: '2', 'org.matrix.msc1767.text': 'Bread' },
      ],
    },
    'org.matrix.msc1767.text': 'Lunch?\n1. Soup\n2. Bread',
  },
};
const AS_TEXT = 'Poll: Lunch?\n- Soup\n- Bread';

describe('a poll', () => {
  test('has its question and its answers, in the form of either version', () => {
    const text = (body: string) => ({ 'm.text': [{ body }] });
    const answers = [text('Soup'), text('Bread')];
    const stable = { type: 'm.poll.start', content: { 'm.poll': { question: text('Lunch?'), answers } } };

    for (const poll of [POLL, stable]) assert.equal(otherContent({ ...PLAIN, ...poll })?.text, AS_TEXT);
  });

  test('that cannot be read has its fallback text', () => {
    const content = { 'm.poll': { question: 7, answers: 'x' }, 'm.text': [{ body: 'Hm?' }] };

    assert.equal(otherContent({ ...PLAIN, type: 'm.poll.start', content })?.text, 'Poll: Hm?');
    assert.equal(otherContent({ ...PLAIN, type: 'm.poll.start', content: {} })?.text, 'Poll: without a question');
  });

  test('is edited, and its end refers to it', () => {
    const relation = (type: string) => ({ 'm.relates_to': { rel_type: type, event_id: '$poll' } });

    const edit = toInbound(
      { ...PLAIN, type: POLL.type, content: { 'm.new_content': POLL.content, ...relation('m.replace') } },
      IN_ROOM,
    );
    const end = toInbound({ ...PLAIN, type: 'org.matrix.msc3381.poll.end', content: relation('m.reference') }, IN_ROOM);

    assert.partialDeepStrictEqual(edit, { kind: 'edit', message: '$poll', text: AS_TEXT });
    assert.partialDeepStrictEqual(end, { message: { text: 'The poll has ended.', replyTo: '$poll' } });
  });
});

describe('a call', () => {
  test('is a line that says so', () => {
    const call = (content: Record<string, unknown>) => otherContent({ ...PLAIN, type: 'm.call.invite', content });

    const [video, voice] = [call({ offer: { type: 'offer', sdp: 'v=0\r\nm=video 9' } }), call({ body: 'ring' })];

    assert.deepEqual(video, { text: 'Started a video call.', contentType: 'system' });
    assert.deepEqual(voice, { text: 'Started a call.', contentType: 'system' });
  });
});
