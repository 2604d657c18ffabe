import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { tokenPrincipal } from '../tests/support/token-principal.ts';
import { type Capability, checkAccess, mayFollow, mayUse } from './capability.ts';
import { localPrincipal } from './domain/principal.ts';

const notes: Capability = {
  name: 'notes',
  invalidInput: 'VALIDATION_ERROR',
  operations: [],
  parts: {},
  events: [
    { prefix: 'note.', description: '', right: 'read' },
    { prefix: 'shelf.', description: '', right: 'manage', mayReceive: (_, { subject }) => subject !== 'sealed' },
  ],
};
const filtering: Capability = { ...notes, filtersByGrants: true };
const reader = tokenPrincipal('reader', ['notes:read']);
const confined = tokenPrincipal('confined', ['notes:read', 'notes:manage'], { chats: ['ops:#dev'] });

describe('access to what a capability offers', () => {
  test('requires the right of the entry, not of the capability', () => {
    assert.ok(mayUse(notes, { right: 'read' }, reader));
    assert.equal(mayUse(notes, { right: 'manage' }, reader), false);
    assert.ok(mayUse(notes, { right: 'manage' }, localPrincipal()));
    assert.throws(() => checkAccess(notes, { right: 'manage' }, reader), {
      code: 'FORBIDDEN',
      message: 'This takes the scope notes:manage, which reader does not have.',
    });
  });

  test('is refused to a confined token unless the answer is limited by its grants', () => {
    assert.equal(mayUse(notes, { right: 'read' }, confined), false);
    assert.ok(mayUse(notes, { right: 'read', confined: true }, confined));
    assert.ok(mayUse(filtering, { right: 'read' }, confined));
    assert.equal(mayUse(filtering, { right: 'read', confined: false }, confined), false);
    assert.throws(() => checkAccess(notes, { right: 'read' }, confined), { code: 'FORBIDDEN', message: /confined/ });
  });
});

describe('access to events', () => {
  const event = (type: string, subject = 's') => ({ number: 1, at: '', type, subject, data: {} });

  test('requires the right of their kind; an event that nobody declares reaches nobody', () => {
    assert.ok(mayFollow([notes], reader, event('note.written')));
    assert.equal(mayFollow([notes], reader, event('shelf.made')), false);
    assert.equal(mayFollow([notes], localPrincipal(), event('secret.written')), false);
    assert.equal(mayFollow([], localPrincipal(), event('note.written')), false);
  });

  test('is refused to a confined token unless the kind decides about each event', () => {
    assert.equal(mayFollow([notes], confined, event('note.written')), false);
    assert.equal(mayFollow([filtering], confined, event('note.written')), false);
    assert.ok(mayFollow([notes], confined, event('shelf.made')));
    assert.equal(mayFollow([notes], confined, event('shelf.made', 'sealed')), false);
  });
});
