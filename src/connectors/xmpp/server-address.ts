import { resolveSrv } from 'node:dns/promises';

export interface ServerAddress {
  host: string;
  port: number;
  /** Direct TLS instead of STARTTLS. */
  isDirectTls: boolean;
}

const LOOK_UP_MS = 5_000;
const MAX_TRIED = 6;

/** Addresses to connect to, best first: from the settings, else from DNS (RFC 6120 3.2, XEP-0368). */
export async function serverAddresses(domain: string, service: string | undefined): Promise<readonly ServerAddress[]> {
  if (service !== undefined) return [ofService(service)];
  const [direct, upgraded] = await Promise.all([
    lookUp(`_xmpps-client._tcp.${domain}`, true),
    lookUp(`_xmpp-client._tcp.${domain}`, false),
  ]);
  const found = [...direct, ...upgraded].sort((a, b) => a.priority - b.priority || b.weight - a.weight);
  return [...found, { host: domain, port: 5222, isDirectTls: false }].slice(0, MAX_TRIED);
}

function ofService(service: string): ServerAddress {
  const { protocol, hostname, port } = new URL(service);
  const isDirectTls = protocol === 'xmpps:';
  // IPv6 addresses are in brackets there.
  return { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) || (isDirectTls ? 5223 : 5222), isDirectTls };
}

/** Empty if there is no record, the service is declared absent (a dot), or DNS does not answer in time. */
async function lookUp(name: string, isDirectTls: boolean) {
  const timeout = Promise.withResolvers<never>();
  const timer = setTimeout(() => timeout.reject(new Error('DNS did not answer')), LOOK_UP_MS);
  try {
    const records = await Promise.race([resolveSrv(name), timeout.promise]);
    return records
      .filter((record) => record.name !== '' && record.name !== '.')
      .map(({ name: host, port, priority, weight }) => ({ host, port, isDirectTls, priority, weight }));
  } catch {
    return [];
  } finally {
    clearTimeout(timer);
  }
}
