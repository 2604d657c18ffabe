import { MailError } from '../../connectors/mail-connector.ts';
import type { EmailLocation, MailStore, StoredEmail } from '../ports.ts';
import type { LiveSession } from '../sync/account-connection.ts';

/**
 * These emails where they are now. Commands for an email that another mail program has moved or deleted meanwhile do nothing, and
 * do not fail: so its folders are looked at first. Those that are gone are left out.
 */
export async function presentEmails(
  { session, syncNow }: Pick<LiveSession, 'session' | 'syncNow'>,
  mail: Pick<MailStore, 'byIds'>,
  emails: readonly StoredEmail[],
): Promise<readonly StoredEmail[]> {
  if (await areWhereTheyWere(session, emails)) return emails;
  await syncNow();
  const found = await mail.byIds(emails.map(({ id }) => id));
  return found.filter(({ locations }) => locations.length > 0);
}

async function areWhereTheyWere(session: LiveSession['session'], emails: readonly StoredEmail[]): Promise<boolean> {
  if (emails.some(({ locations }) => locations.length === 0)) return false;
  const folders = Map.groupBy(
    emails.flatMap(({ locations }) => locations),
    ({ path }) => path,
  );
  for (const [path, locations] of folders) if (!(await areAllThere(session, path, locations))) return false;
  return true;
}

async function areAllThere(
  session: LiveSession['session'],
  path: string,
  locations: readonly EmailLocation[],
): Promise<boolean> {
  const wanted = locations.map(({ uid }) => uid);
  try {
    // The state of an open folder is out of date until it is asked for.
    await session.status(path);
    const there = new Set(await session.uids(path, wanted));
    return wanted.every((uid) => there.has(uid));
  } catch (error) {
    if (error instanceof MailError && error.kind === 'refused') return false;
    throw error;
  }
}
