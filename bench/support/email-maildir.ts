import { lchownSync, mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { EmailCorpus, GeneratedEmail } from './email-corpus.ts';

export interface Owner {
  uid: number;
  gid: number;
}

/** Writes emails of the corpus into a Maildir, named as Dovecot names them; returns their size in bytes. */
export function writeMaildir(
  maildir: string,
  corpus: EmailCorpus,
  { from, count, owner }: { from: number; count: number; owner?: Owner | undefined },
): number {
  const folders = ['', 'cur', 'new', 'tmp'].map((name) => join(maildir, name));
  for (const folder of folders) mkdirSync(folder, { recursive: true });
  let size = 0;
  for (let index = from; index < from + count; index++) {
    const email = corpus.email(index);
    const path = join(maildir, 'cur', fileName(email, index));
    writeFileSync(path, email.bytes);
    // Dovecot takes it as the time of receipt.
    utimesSync(path, email.at / 1_000, email.at / 1_000);
    if (owner) lchownSync(path, owner.uid, owner.gid);
    size += email.bytes.length;
  }
  if (owner) for (const folder of folders) lchownSync(folder, owner.uid, owner.gid);
  return size;
}

/** With its sizes on disk and in transit, so that the server need not count them. */
function fileName({ bytes, at, flags }: GeneratedEmail, index: number): string {
  let lines = 0;
  for (let end = bytes.indexOf(10); end >= 0; end = bytes.indexOf(10, end + 1)) lines += 1;
  const unique = `M${String(index).padStart(6, '0')}P1.bench`;
  return `${at / 1_000}.${unique},S=${bytes.length},W=${bytes.length + lines}:2,${flags}`;
}
