import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { type ListLetter, listFiles, listLetters } from '../support/archives/mailing-list.ts';
import { type ReferenceLetter, readMbox } from '../support/archives/mbox-reference.ts';
import { fileIn, readArchive } from '../support/archives/read-archive.ts';
import { zipOf } from '../support/archives/zip.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const folder = temporaryFolder(after);
const letters = listLetters(600);
const files = listFiles(letters);

describe('the archive of a mailing list', () => {
  test('is read as an independent reader reads it, and as it was written: no difference', async () => {
    for (const { name, content } of files) fileIn(folder, `list/${name}`, content);
    const zip = fileIn(
      folder,
      'list.zip',
      zipOf(files.map(({ name, content }) => ({ name: `list/${name}`, content }))),
    );

    const reference = files.flatMap(({ content }) => readMbox(content));
    const [fromFolder, fromZip] = [await readArchive('mbox', join(folder, 'list')), await readArchive('mbox', zip)];

    assert.deepEqual(reference, letters.map(asRead));
    for (const { messages, skipped } of [fromFolder, fromZip]) {
      const ours = messages.map(
        ({ id, at, sender, text, replyTo }): ReferenceLetter => ({
          id,
          at,
          sender: sender.id,
          name: sender.name,
          text,
          replyTo,
        }),
      );
      const differences = reference.filter((letter, index) => JSON.stringify(letter) !== JSON.stringify(ours[index]));
      assert.deepEqual(differences.slice(0, 3), []);
      assert.equal(ours.length, reference.length);
      assert.deepEqual(skipped, []);
    }
  });

  test('has its files in the order of their dates', async () => {
    const names = files.map(({ name }) => name.replace(/\..*$/, ''));

    assert.deepEqual(names.slice(0, 4), ['2007-May', '2007-June', '2007-July', '2007-August']);
    const { messages } = await readArchive('mbox', join(folder, 'list'));
    assert.deepEqual(
      messages.map(({ at }) => at),
      messages.map(({ at }) => at).toSorted((a, b) => a - b),
    );
  });
});

function asRead({ id, at, address, name, subject, body, answers }: ListLetter): ReferenceLetter {
  const text = body.trim();
  return {
    id,
    at,
    sender: address.replace(' at ', '@'),
    name,
    text: answers === undefined ? `${subject}\n\n${text}` : text,
    replyTo: answers,
  };
}
