import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { clientUser } from './tcp-table.ts';

const HEADER = '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode';
const SERVER = '0100007F:0BB8';
const CLIENT = '0100007F:BE72';
const OWN_INODE = 3743390;

function line(local: string, remote: string, uid: number, inode: number, state = '01'): string {
  return `  41: ${local} ${remote} ${state} 00000000:00000000 00:00000000 00000000 ${uid}        0 ${inode} 1 0000000026b728f7 20 0 0 10 -1`;
}

const table = (...lines: string[]) => [HEADER, ...lines, ''].join('\n');
const own = line(SERVER, CLIENT, 1000, OWN_INODE);
const listening = line(SERVER, '00000000:0000', 1000, 11, '0A');

describe('the user of a client', () => {
  test('is the one of the socket with the same addresses the other way round', () => {
    const others = [line('0100007F:BE73', SERVER, 1, 12), line(SERVER, '0100007F:BE73', 1000, 13)];

    assert.equal(clientUser([table(listening, ...others, own, line(CLIENT, SERVER, 65534, 99))], OWN_INODE), 65534);
  });

  test('is found over IPv6, and where one end uses IPv4 addresses in IPv6', () => {
    const mapped = (address: string) => `0000000000000000FFFF0000${address}`;
    const six = (port: string) => `00000000000000000000000001000000:${port}`;

    assert.equal(clientUser([table(own), table(line(mapped(CLIENT), mapped(SERVER), 7, 99))], OWN_INODE), 7);
    const serverInSix = line(mapped(SERVER), mapped(CLIENT), 1000, OWN_INODE);
    assert.equal(clientUser([table(line(CLIENT, SERVER, 7, 99)), table(serverInSix)], OWN_INODE), 7);
    const bothInSix = table(line(six('0BB8'), six('BE72'), 0, OWN_INODE), line(six('BE72'), six('0BB8'), 7, 99));
    assert.equal(clientUser(['', bothInSix], OWN_INODE), 7);
  });

  test('is not known from a socket that its process has closed: such a socket seems to be of root', () => {
    for (const state of ['04', '05', '06']) {
      assert.equal(clientUser([table(own, line(CLIENT, SERVER, 0, 0, state))], OWN_INODE), undefined);
    }
  });

  test('is not known where the client is in no table, as in another network namespace', () => {
    assert.equal(clientUser([table(listening, own)], OWN_INODE), undefined);
  });

  test('is not known where our end is gone, although the addresses are in use again', () => {
    const reused = table(line(SERVER, CLIENT, 1000, 77), line(CLIENT, SERVER, 1000, 99));

    assert.equal(clientUser([reused], OWN_INODE), undefined);
  });

  test('is not known where two sockets fit', () => {
    const two = table(own, line(CLIENT, SERVER, 1000, 98), line(CLIENT, SERVER, 65534, 99));

    assert.equal(clientUser([two], OWN_INODE), undefined);
  });

  test('does not depend on what else is in the tables', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'grapheme' })), fc.array(fc.string()), (before, after) => {
        const noise = (texts: readonly string[]) => texts.map((text) => `x ${text}`);
        const lines = [...noise(before), own, line(CLIENT, SERVER, 5, 99), ...noise(after)];

        assert.equal(clientUser([lines.join('\n')], OWN_INODE), 5);
      }),
    );
  });
});
