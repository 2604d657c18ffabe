/** A socket of /proc/net/tcp or tcp6. Addresses are as the file has them: hexadecimal, IPv4-mapped ones shortened. */
interface TcpSocket {
  local: string;
  remote: string;
  uid: number;
  inode: number;
}

/** How an IPv4 address begins where a socket of IPv6 uses it. */
const MAPPED = '0000000000000000FFFF0000';

/**
 * The user who owns the client's socket of a connection, given the inode of our socket of it. Undefined where the table
 * does not have both, or has more than one socket with these addresses.
 *
 * A socket that its process has closed has the inode 0 and, on many kernels, the user id 0. It proves nothing, so it does
 * not count: otherwise a client of another user would look like root by closing its socket after its request.
 */
export function clientUser(tables: readonly string[], ownInode: number): number | undefined {
  // There may be thousands of sockets: only lines that may be of these two are parsed.
  const lines = tables.flatMap((table) => table.split('\n'));
  const own = socketsWith(lines, ` ${ownInode} `).find(({ inode }) => inode === ownInode);
  if (!own) return undefined;
  const clients = socketsWith(lines, own.remote).filter(
    ({ local, remote }) => local === own.remote && remote === own.local,
  );
  const [client] = clients;
  return clients.length === 1 ? client?.uid : undefined;
}

function socketsWith(lines: readonly string[], part: string): TcpSocket[] {
  return lines
    .filter((line) => line.includes(part))
    .flatMap(parseLine)
    .filter(({ inode }) => inode !== 0);
}

function parseLine(line: string): TcpSocket[] {
  const [, local = '', remote = '', , , , , uid = '', , inode = ''] = line.trim().split(/\s+/);
  if (!isAddress(local) || !isAddress(remote) || !isCount(uid) || !isCount(inode)) return [];
  return [{ local: canonical(local), remote: canonical(remote), uid: Number(uid), inode: Number(inode) }];
}

function isAddress(text: string): boolean {
  return /^(?:[0-9A-F]{8}|[0-9A-F]{32}):[0-9A-F]{4}$/.test(text);
}

function isCount(text: string): boolean {
  return /^\d{1,15}$/.test(text);
}

function canonical(address: string): string {
  return address.startsWith(MAPPED) ? address.slice(MAPPED.length) : address;
}
