import type { LookupAddress } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { isLocalName, isPrivateAddress } from './names.ts';

export type LookupAll = (name: string) => Promise<readonly LookupAddress[]>;

/**
 * Looks names up for connections, and refuses private addresses: a domain on the internet must not make us connect to machines
 * of the local network. The connection uses the very addresses that were checked.
 */
export function guardedLookup(lookupAll: LookupAll): LookupFunction {
  return (name, { all }, callback) => {
    allowedAddresses(name, lookupAll).then(
      (addresses) => {
        const [first] = addresses;
        if (!first) callback(notFound(name), '', 4);
        else if (all) callback(null, [...addresses]);
        else callback(null, first.address, first.family);
      },
      (error: unknown) => callback(error as NodeJS.ErrnoException, '', 4),
    );
  };
}

async function allowedAddresses(name: string, lookupAll: LookupAll): Promise<readonly LookupAddress[]> {
  const addresses = await lookupAll(name);
  return isLocalName(name.toLowerCase()) ? addresses : addresses.filter(({ address }) => !isPrivateAddress(address));
}

function notFound(name: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`no public address of ${name}`), { code: 'ENOTFOUND' });
}
