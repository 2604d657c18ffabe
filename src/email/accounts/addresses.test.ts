import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { accountOf } from '../../../tests/support/email/account-samples.ts';
import { isOwnAddress } from '../rules/own-address.ts';
import { fromAddress, ownAddresses } from './addresses.ts';

describe('the addresses of an account', () => {
  test('EMAIL-16 are its own, its aliases and those of a whole domain, regardless of case', () => {
    const account = accountOf('work', { email: 'Alice@Example.test', aliases: ['sales@example.test', '*@Alice.test'] });

    const own = ['alice@example.test', 'SALES@example.test', 'anything@alice.test', ' alice@EXAMPLE.test '];
    const others = ['bob@example.test', 'x@sub.alice.test', 'x@malice.test', '', '*', '@'];

    assert.deepEqual(
      [...own, ...others].filter((address) => isOwnAddress(ownAddresses(account), address)),
      own,
    );
  });

  test('may have an international domain, which headers have in ASCII', () => {
    const account = accountOf('work', { email: 'alice@Bücher.test', aliases: ['*@kä.test'] });

    const own = ownAddresses(account);

    assert.equal(fromAddress(account).address, 'alice@xn--bcher-kva.test');
    for (const address of ['alice@bücher.test', 'alice@xn--bcher-kva.test', 'any@kä.test', 'any@xn--k-0fa.test']) {
      assert.ok(isOwnAddress(own, address), address);
    }
  });

  test('are sent from with the configured name only: that of the account is for its owner', () => {
    assert.deepEqual(fromAddress(accountOf('work', { name: 'Work', email: 'A@b.test', from_name: 'Alice Ames' })), {
      name: 'Alice Ames',
      address: 'a@b.test',
    });
    assert.deepEqual(fromAddress(accountOf('work', { name: 'Work', email: 'a@b.test' })), {
      name: '',
      address: 'a@b.test',
    });
  });
});
