import { BlockList, isIP } from 'node:net';

const LONGEST_NAME = 253;
const LABEL = /^(?!-)[a-z0-9_-]{1,63}(?<!-)$/;

/** A host name in the form that DNS takes; undefined if it is none, or an address. */
export function hostName(text: string): string | undefined {
  const ascii = URL.canParse(`https://${text}/`) ? new URL(`https://${text}/`).hostname : '';
  const name = ascii.replace(/\.$/, '');
  const isName = name.length <= LONGEST_NAME && isIP(name) === 0 && name.split('.').every((label) => LABEL.test(label));
  return isName && isSameName(text, ascii) ? name : undefined;
}

/** Whether a URL read the text as a host name and nothing else: no port, user or path. */
function isSameName(text: string, ascii: string): boolean {
  return !/[/?#@:\\\s%[\]]/.test(text) && ascii !== '';
}

/** Names that are only used within a local network, and so may have its addresses. */
export function isLocalName(name: string): boolean {
  return !name.includes('.') || /\.(?:local|localhost|lan|home|internal|intranet|home\.arpa|test)$/.test(name);
}

/** Addresses of this machine, of local networks and of no machine at all. */
const PRIVATE = new BlockList();
for (const [address, bits] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['224.0.0.0', 3],
] as const) {
  PRIVATE.addSubnet(address, bits, 'ipv4');
}
for (const [address, bits] of [
  ['::', 96],
  ['64:ff9b::', 96],
  ['64:ff9b:1::', 48],
  ['100::', 64],
  ['2001::', 32],
  ['2002::', 16],
  ['fc00::', 7],
  ['fe80::', 10],
  ['fec0::', 10],
  ['ff00::', 8],
] as const) {
  PRIVATE.addSubnet(address, bits, 'ipv6');
}

export function isPrivateAddress(address: string): boolean {
  const family = isIP(address);
  // IPv4 addresses within IPv6 ones are compared as IPv4.
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined) return isPrivateAddress(mapped);
  return family === 0 || PRIVATE.check(address, family === 6 ? 'ipv6' : 'ipv4');
}
