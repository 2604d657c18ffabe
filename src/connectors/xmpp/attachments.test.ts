import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { stanza } from '../../../tests/support/xmpp/stanza.ts';
import { attachmentsOf } from './attachments.ts';

describe('attachments of a message', () => {
  test('an out-of-band URL is a file, with name and type from its path', () => {
    const files = attachmentsOf(
      stanza(`<message><x xmlns="jabber:x:oob"><url> https://up.example/a/my%20cat.JPG?x=1 </url></x></message>`),
    );

    assert.deepEqual(files, [{ type: 'image', name: 'my cat.JPG', url: 'https://up.example/a/my%20cat.JPG?x=1' }]);
  });

  test('a shared file has its metadata, and is listed only once', () => {
    const files = attachmentsOf(
      stanza(
        `<message><file-sharing xmlns="urn:xmpp:sfs:0"><file xmlns="urn:xmpp:file:metadata:0"><media-type>video/mp4</media-type><name>a.bin</name><size>12</size></file><sources><url-data xmlns="http://jabber.org/protocol/url-data" target="https://up.example/a.bin"/></sources></file-sharing><x xmlns="jabber:x:oob"><url>https://up.example/a.bin</url></x></message>`,
      ),
    );

    assert.deepEqual(files, [
      { type: 'video', name: 'a.bin', mime: 'video/mp4', size: 12, url: 'https://up.example/a.bin' },
    ]);
  });

  test('a referenced file has its metadata', () => {
    const files = attachmentsOf(
      stanza(
        `<message><reference xmlns="urn:xmpp:reference:0" type="data"><media-sharing xmlns="urn:xmpp:sims:1"><file xmlns="urn:xmpp:jingle:apps:file-transfer:5"><name>x.ogg</name><size>-1</size></file><sources><reference xmlns="urn:xmpp:reference:0" type="data" uri="https://up.example/1"/></sources></media-sharing></reference><reference xmlns="urn:xmpp:reference:0" type="mention"/></message>`,
      ),
    );

    assert.deepEqual(files, [{ type: 'audio', name: 'x.ogg', url: 'https://up.example/1' }]);
  });

  test('an invalid URL is stored unchanged', () => {
    const files = attachmentsOf(
      stanza(
        `<message><x xmlns="jabber:x:oob"><url>not an address</url></x><x xmlns="jabber:x:oob"><url>https://up.example/%ff.txt</url></x><x xmlns="jabber:x:oob"/></message>`,
      ),
    );

    assert.deepEqual(files, [
      { type: 'file', url: 'not an address' },
      { type: 'file', name: '%ff.txt', url: 'https://up.example/%ff.txt' },
    ]);
  });
});
