import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, test } from 'node:test';
import { chatIdIn, parseJid } from './jids.ts';
import { createPeople } from './people.ts';
import { openSealedEntries } from './sealed-entries.ts';

const ME = { id: '12025550100:5@s.whatsapp.net', lid: '1000:5@lid' };

async function people(mappings: Record<string, string> = {}) {
  const memory = { get: async () => undefined, set: async () => {} };
  const entries = await openSealedEntries({ memory, key: randomBytes(32), onFailure: () => {} });
  entries.change(Object.entries(mappings).map(([name, value]) => [`lid-mapping:${name}`, JSON.stringify(value)]));
  return createPeople(entries, () => ME);
}

describe('people of WhatsApp', () => {
  test('devices and both addresses of a person are one id', async () => {
    const { idOf } = await people({ '358401': '2000', '2000_reverse': '358401' });

    for (const jid of ['358401@s.whatsapp.net', '358401:12@s.whatsapp.net', '2000@lid', '2000:3@lid', '358401@c.us']) {
      assert.equal(idOf(jid), '358401@s.whatsapp.net');
    }
    assert.equal(idOf('1000:5@lid'), '12025550100@s.whatsapp.net');
  });

  test('the address book wins over what people call themselves, and a number is better than nothing', async () => {
    const { learnName, nameOf } = await people();
    const id = '358401234567@s.whatsapp.net';

    const before = nameOf(id);
    const changes = [learnName(id, 'own', 'A.'), learnName(id, 'book', 'Antti'), learnName(id, 'own', 'B.')];

    assert.equal(before, '+358401234567');
    assert.deepEqual([changes, nameOf(id)], [[true, true, false], 'Antti']);
  });

  test('texts that are no addresses have no id', () => {
    for (const text of ['', 'Antti', 'a@b', '@lid', 'x y@s.whatsapp.net', `${'1'.repeat(300)}@lid`]) {
      assert.equal(chatIdIn(text), undefined, text);
    }
    assert.equal(parseJid('1@x y'), undefined);
    assert.equal(chatIdIn('+358 40 123-4567'), '358401234567@s.whatsapp.net');
    assert.equal(chatIdIn('120363@g.us'), '120363@g.us');
  });
});
