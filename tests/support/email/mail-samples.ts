import type { FetchedMail } from '../../../src/connectors/mail-connector.ts';
import type { ParsedEmail } from '../../../src/domain/email.ts';
import type { MailToStore } from '../../../src/email/ports.ts';
import { toStore } from '../../../src/email/rules/identity.ts';

const OWN = ['me@example.test'];

/** An email as the connector gives it; what is not given is ordinary. */
export function fetchedMail(
  uid: number,
  { email, ...facts }: Partial<Omit<FetchedMail, 'email'>> & { email?: Partial<ParsedEmail> } = {},
): FetchedMail {
  return {
    uid,
    flags: [],
    receivedAt: 1_700_000_000_000 + uid * 60_000,
    size: 1_000,
    contentHash: JSON.stringify([email?.text, email?.attachments]),
    ...facts,
    email: {
      rfcMessageId: `m${uid}@example.test`,
      references: [],
      subject: `Subject ${uid}`,
      from: [{ name: 'Ann', address: 'ann@example.test' }],
      replyTo: [],
      to: [{ name: '', address: 'me@example.test' }],
      cc: [],
      bcc: [],
      date: 1_700_000_000_000 + uid * 60_000,
      text: `Text ${uid}`,
      attachments: [],
      isAutomatic: false,
      problems: [],
      ...email,
    },
  };
}

export function mailToStore(...given: Parameters<typeof fetchedMail>): MailToStore {
  return toStore(fetchedMail(...given), undefined, OWN);
}
