import type { SrvRecord } from 'node:dns';
import type { FoundServers, MailServer } from '../../mail-connector.ts';
import { hostName } from './names.ts';

type ResolveSrv = (name: string) => Promise<readonly SrvRecord[]>;

/** The servers that SRV records name; implicit TLS is preferred, as RFC 8314 says. */
export async function serversInRecords(domain: string, resolveSrv: ResolveSrv): Promise<FoundServers | undefined> {
  const first = async (service: string, tls: MailServer['tls']) =>
    toServer(await resolveSrv(`_${service}._tcp.${domain}`).catch(() => []), tls);
  const [imaps, imap, submissions, submission] = await Promise.all([
    first('imaps', true),
    first('imap', 'starttls'),
    first('submissions', true),
    first('submission', 'starttls'),
  ]);
  const reading = imaps ?? imap;
  const sending = submissions ?? submission;
  return reading && { imap: reading, ...(sending ? { smtp: sending } : {}) };
}

/** The target `.` means that the service is not offered. */
function toServer(records: readonly SrvRecord[], tls: MailServer['tls']): MailServer | undefined {
  const [best] = records.toSorted((a, b) => a.priority - b.priority || b.weight - a.weight);
  const host = best && best.name !== '' && best.name !== '.' ? hostName(best.name.toLowerCase()) : undefined;
  if (!best || host === undefined || best.port < 1) return undefined;
  return { host, port: best.port, tls };
}
