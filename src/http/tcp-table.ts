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
  const sockets = tables.flatMap(parseTcpTable).filter(({ inode }) => inode !== 0);
  const own = sockets.find(({ inode }) => inode === ownInode);
  if (!own) return undefined;
  const clients = sockets.filter(({ local, remote }) => local === own.remote && remote === own.local);
  const [client] = clients;
  return clients.length === 1 ? client?.uid : undefined;
}

function parseTcpTable(text: string): TcpSocket[] {
  return text.split('\n').flatMap((line) => {
    const [, local = '', remote = '', , , , , uid = '', , inode = ''] = line.trim().split(/\s+/);
    if (!isAddress(local) || !isAddress(remote) || !isCount(uid) || !isCount(inode)) return [];
    return [{ local: canonical(local), remote: canonical(remote), uid: Number(uid), inode: Number(inode) }];
  });
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
