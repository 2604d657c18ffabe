import { promises as dns, type LookupAddress, type MxRecord, type SrvRecord } from 'node:dns';
import type { FoundServers, MailDiscovery } from '../../mail-connector.ts';
import { serversInFile } from './autoconfig-file.ts';
import { isGreeting } from './greeting.ts';
import { guardedLookup } from './guarded-lookup.ts';
import { httpsDocument } from './https-document.ts';
import { hostName } from './names.ts';
import { serversInRecords } from './service-records.ts';

/** The internet, as far as it is asked. */
export interface Internet {
  resolveSrv(name: string): Promise<readonly SrvRecord[]>;
  resolveMx(name: string): Promise<readonly MxRecord[]>;
  lookup(name: string): Promise<readonly LookupAddress[]>;
  /** The text of a document; `lookup` checks where it is fetched from. */
  document: typeof httpsDocument;
}

const TIMEOUT_MS = 10_000;
const GREETING_TIMEOUT_MS = 5_000;
const FILE = 'mail/config-v1.1.xml';

function internet(): Internet {
  const resolver = new dns.Resolver({ timeout: 3_000, tries: 2 });
  return {
    resolveSrv: (name) => resolver.resolveSrv(name),
    resolveMx: (name) => resolver.resolveMx(name),
    lookup: (name) => dns.lookup(name, { all: true }),
    document: httpsDocument,
  };
}

export function createMailDiscovery(outside: Internet = internet()): MailDiscovery {
  const lookup = guardedLookup(outside.lookup);

  async function serversAt(url: string, domain: string, signal: AbortSignal): Promise<FoundServers | undefined> {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]);
    const text = await outside.document(url, { lookup, signal: limit }).catch(() => undefined);
    return text === undefined ? undefined : serversInFile(text, domain);
  }

  return {
    async published(given, signal) {
      const domain = hostName(given);
      if (domain === undefined) return undefined;
      const [first, second] = await Promise.all([
        serversAt(`https://autoconfig.${domain}/${FILE}`, domain, signal),
        serversAt(`https://${domain}/.well-known/autoconfig/${FILE}`, domain, signal),
      ]);
      return first ?? second;
    },
    async records(given, signal) {
      const domain = hostName(given);
      return domain === undefined ? undefined : within(signal, serversInRecords(domain, outside.resolveSrv), undefined);
    },
    async exchangers(given, signal) {
      const domain = hostName(given);
      if (domain === undefined) return [];
      const records = await within(signal, outside.resolveMx(domain), []);
      const sorted = records.toSorted((a, b) => a.priority - b.priority);
      return sorted.flatMap(({ exchange }) => hostName(exchange.toLowerCase()) ?? []);
    },
    answers: (server, protocol, signal) =>
      hostName(server.host) === undefined
        ? Promise.resolve(false)
        : isGreeting(server, protocol, {
            lookup,
            signal: AbortSignal.any([signal, AbortSignal.timeout(GREETING_TIMEOUT_MS)]),
          }),
  };
}

/** The answer, or `otherwise` if there is none in time. */
function within<T>(signal: AbortSignal, answer: Promise<T>, otherwise: T): Promise<T> {
  const { promise, resolve } = Promise.withResolvers<T>();
  const limit = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]);
  const giveUp = () => resolve(otherwise);
  limit.addEventListener('abort', giveUp, { once: true });
  if (limit.aborted) giveUp();
  answer.then(resolve, giveUp);
  return promise.finally(() => limit.removeEventListener('abort', giveUp));
}
