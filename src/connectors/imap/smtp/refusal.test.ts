import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { refusalOf, type Step } from './refusal.ts';

const STEPS: Step[] = ['connect', 'sign-in', 'sender', 'recipient', 'message'];

test('replies of well-known servers are said in our words', () => {
  const replies: [Step, string, string][] = [
    [
      'recipient',
      '550-5.1.1 The email account that you tried to reach does not exist.',
      'does not know this address (550 5.1.1)',
    ],
    [
      'recipient',
      '450 4.2.1 The user you are trying to contact is receiving mail too quickly',
      'at the moment (450 4.2.1)',
    ],
    ['recipient', '452 4.2.2 mailbox full', 'is full (452 4.2.2)'],
    ['recipient', '452-4.5.3 Your message has too many recipients', 'too many recipients (452 4.5.3)'],
    [
      'recipient',
      '554 5.7.1 <x@y>: Relay access denied',
      'does not send to other domains for this account (554 5.7.1)',
    ],
    ['recipient', '550 5.4.1 Recipient address rejected: Access denied', 'cannot deliver to this address (550 5.4.1)'],
    ['recipient', '450 4.7.1 Greylisted', 'greylisting'],
    [
      'message',
      '550-5.7.26 Unauthenticated email from x is not accepted due to DMARC policy',
      'could not be verified (SPF, DKIM) (550 5.7.26)',
    ],
    [
      'message',
      '552-5.7.0 This message was blocked because its content presents a potential virus',
      'malware (552 5.7.0)',
    ],
    [
      'message',
      '550 5.7.60 SMTP; Client does not have permissions to send as this sender',
      'sender address (550 5.7.60)',
    ],
    ['message', '554 5.2.0 STOREDRV.Submission.Exception:SendAsDeniedException', 'sender address (554 5.2.0)'],
    [
      'message',
      '421-4.7.28 Gmail has detected an unusual rate of unsolicited mail',
      'sending limit of the account is reached (421 4.7.28)',
    ],
    ['sign-in', '534-5.7.14 Please log in via your web browser', 'sign in with a web browser first (534 5.7.14)'],
    [
      'sign-in',
      '535 5.7.139 Authentication unsuccessful, basic authentication is disabled',
      'does not allow signing in this way',
    ],
    ['connect', '554 5.7.1 Service unavailable; Client host blocked using zen (blocklist)', 'blocks the address'],
    ['sign-in', '503 AUTH command used when not advertised', 'or not without encryption (503)'],
    ['sign-in', '530 5.7.0 Must issue a STARTTLS command first', 'or not without encryption (530 5.7.0)'],
    ['sender', '530 Authentication required', 'requires signing in (530)'],
  ];

  for (const [step, reply, words] of replies)
    assert.ok(refusalOf(reply, step)?.reason.includes(words), `${reply}: ${refusalOf(reply, step)?.reason}`);
});

test('only replies of classes 4 and 5 are refusals, and only class 4 is temporary', () => {
  assert.equal(refusalOf('250 ok', 'message'), undefined);
  assert.equal(refusalOf('354 go', 'message'), undefined);
  assert.equal(refusalOf('55', 'message'), undefined);
  assert.equal(refusalOf('5501 x', 'message'), undefined);
  assert.equal(refusalOf('451', 'message')?.isTemporary, true);
  assert.equal(refusalOf('554-', 'message')?.isTemporary, false);
});

test('a reason never contains what the server said but its numbers', () => {
  const known = new Set<string>();
  const bare = (reason: string) => reason.replace(/ \(\d{3}(?: \d\.\d{1,3}\.\d{1,3})?\)\.$/, '');

  fc.assert(
    fc.property(
      fc.constantFrom('4', '5'),
      fc.integer({ min: 0, max: 99 }),
      fc.option(fc.tuple(fc.integer({ min: 0, max: 9 }), fc.integer({ min: 0, max: 60 }))),
      fc.string({ unit: 'binary' }),
      fc.constantFrom(...STEPS),
      (kind, rest, detail, text, step) => {
        const status = detail === null ? '' : `${kind}.${detail.join('.')} `;
        const refusal = refusalOf(`${kind}${String(rest).padStart(2, '0')} ${status}xyzzy ${text}`, step);

        assert.ok(refusal);
        assert.match(refusal.reason, /^[A-Z][ \w'().,]+\.$/);
        known.add(bare(refusal.reason));
      },
    ),
  );
  assert.ok([...known].every((reason) => !reason.includes('xyzzy')));
});
