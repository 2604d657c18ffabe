import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { idsOf, placeInThread, type ThreadPosition } from './email-thread.ts';

/** Places emails one after the other, as the store does. Returns the conversation of each. */
function conversationsOf(positions: readonly ThreadPosition[]): Map<string, string> {
  const known = new Map<string, string>();
  const placed = new Map<string, string>();
  for (const position of positions) {
    const { chat, joined } = placeInThread(position, known);
    if (joined !== undefined) {
      for (const chats of [known, placed]) for (const [id, each] of chats) if (each === joined) chats.set(id, chat);
    }
    for (const id of idsOf(position)) if (!known.has(id)) known.set(id, chat);
    placed.set(position.identity, chat);
  }
  return placed;
}

/** Which emails are together, whatever their conversation is called. */
function groupsOf(placed: ReadonlyMap<string, string>): string[] {
  return [...Map.groupBy(placed, ([, chat]) => chat).values()]
    .map((entries) => entries.map(([identity]) => identity).sort())
    .map((identities) => identities.join(' '))
    .sort();
}

/** Emails that answer each other; each names the one it answers, and some of those before it. */
const mailbox = fc
  .array(fc.record({ parent: fc.nat(), named: fc.infiniteStream(fc.boolean()), hasReferences: fc.boolean() }), {
    minLength: 1,
    maxLength: 12,
  })
  .map((choices) => {
    const ancestors: string[][] = [];
    return choices.map(({ parent, named, hasReferences }, index): ThreadPosition & { root: string } => {
      const id = `m${index}@test`;
      // Sometimes none: it begins a conversation.
      const answered = parent % (index + 1) === index ? undefined : parent % (index + 1);
      const above = answered === undefined ? [] : [...(ancestors[answered] ?? []), `m${answered}@test`];
      ancestors.push(above);
      const inReplyTo = above.at(-1);
      const references = hasReferences ? above.filter((each) => each === inReplyTo || named.next().value === true) : [];
      return { identity: id, rfcMessageId: id, references, root: above[0] ?? id, ...(inReplyTo ? { inReplyTo } : {}) };
    });
  });

describe('conversations', () => {
  test('are the same in whatever order their emails arrive', () => {
    const arrivals = mailbox.chain((emails) =>
      fc.tuple(fc.constant(emails), fc.shuffledSubarray(emails, { minLength: emails.length })),
    );

    fc.assert(
      fc.property(arrivals, ([emails, shuffled]) => {
        const expected = groupsOf(new Map(emails.map(({ identity, root }) => [identity, root])));

        assert.deepEqual(groupsOf(conversationsOf(shuffled)), expected);
      }),
    );
  });

  test('that the server knows are its own, in whatever order their emails arrive', () => {
    const arrivals = fc
      .tuple(mailbox, fc.infiniteStream(fc.constantFrom('t1', 't2')))
      .map(([emails, threads]) => emails.map((email) => ({ ...email, threadId: threads.next().value ?? '' })))
      .chain((emails) => fc.tuple(fc.constant(emails), fc.shuffledSubarray(emails, { minLength: emails.length })));

    fc.assert(
      fc.property(arrivals, ([emails, shuffled]) => {
        const expected = groupsOf(new Map(emails.map(({ identity, threadId }) => [identity, threadId])));

        assert.deepEqual(groupsOf(conversationsOf(shuffled)), expected);
      }),
    );
  });

  test('have ids that contain nothing of what a sender wrote', () => {
    fc.assert(
      fc.property(fc.string(), fc.array(fc.string()), (rfcMessageId, references) => {
        const { chat } = placeInThread({ identity: 'x', rfcMessageId, references }, new Map());

        assert.match(chat, /^[0-9a-f]{16}$/);
      }),
    );
  });

  test('of emails without a Message-ID are their own', () => {
    const [first, second] = [
      { identity: 'a', references: [] },
      { identity: 'b', references: [] },
    ];

    assert.equal(groupsOf(conversationsOf([first, second])).length, 2);
  });
});
