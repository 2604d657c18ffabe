import { mailBody } from './email-body.ts';
import { mailHeaders, type Person } from './email-headers.ts';
import { SCRIPTS, type Script } from './email-scripts.ts';
import { normal, randomFrom, zipf } from './generated-words.ts';

/** A generated email as it lies in a Maildir, with LF at the ends of lines. */
export interface GeneratedEmail {
  bytes: Buffer;
  /** When it was received. */
  at: number;
  /** Letters of Maildir: S seen, F flagged, R replied. */
  flags: string;
}

/** Typical mail of one person, the same at every run. */
export interface EmailCorpus {
  readonly owner: Person;
  /** Received by this time, the last of `messages`. */
  readonly to: number;
  email(index: number): GeneratedEmail;
  /** Frequent correspondents have low ranks. */
  person(rank: number): Person;
  /** When the email with this index was received. */
  receivedAt(index: number): number;
}

const YEARS = 3;
const PEOPLE = 2_000;
const END = Date.UTC(2026, 10, 1);
const REPLY_SHARE = 0.5;
/** A reply is to one of this many emails before it. */
const REPLY_WITHIN = 150;
const QUOTED_WORDS = 60;

export function createEmailCorpus(messages: number): EmailCorpus {
  const step = (YEARS * 365.25 * 86_400_000) / messages;
  const people = zipf(PEOPLE, 1);
  const owner = { name: 'Alice Example', address: 'alice@example.test' };

  function email(index: number): GeneratedEmail {
    const random = randomFrom(4 * index + 1);
    const chain = conversation(index);
    const root = chain[0] ?? index;
    const script = scriptOf(root);
    const charset = script.charsets[random() < 0.65 ? 0 : 1] ?? 'utf-8';
    const parent = chain.at(-2);
    const body = mailBody({
      random,
      charset,
      paragraphs: paragraphs(index, script, wordCount(random)),
      ...(parent === undefined ? {} : { quoted: paragraphs(parent, script, QUOTED_WORDS) }),
    });
    const headers = mailHeaders({
      random,
      owner,
      from: senderOf(index),
      others: Array.from({ length: Math.floor(random() ** 4 * 9) }, () => person(people(random()))),
      at: receivedAt(index),
      subject: `${chain.length > 1 ? 'Re: ' : ''}${subject(root, script)}`,
      messageId: messageId(index),
      references: chain.slice(0, -1).map(messageId),
    });
    return { bytes: Buffer.concat([Buffer.from(headers), body]), at: receivedAt(index), flags: flagsOf(random) };
  }

  /** The emails that this one answers, from the first on, and itself. */
  function conversation(index: number): number[] {
    const random = randomFrom(4 * index + 2);
    if (index === 0 || random() >= REPLY_SHARE) return [index];
    const distance = Math.ceil(REPLY_WITHIN ** random());
    return [...conversation(Math.max(0, index - distance)), index];
  }

  function paragraphs(index: number, script: Script, words: number): string[] {
    const random = randomFrom(4 * index + 3);
    const all: string[] = [];
    for (let left = words; left > 0; ) {
      const count = Math.min(left, 20 + Math.floor(random() * 80));
      left -= count;
      all.push(sentences(script, random, count));
    }
    return all;
  }

  function sentences(script: Script, random: () => number, count: number): string {
    let text = '';
    let untilStop = 0;
    for (let index = 0; index < count; index++) {
      const word = script.drawn(random());
      if (untilStop > 0) text += script.space + word;
      else text += (text === '' ? '' : ' ') + word.charAt(0).toUpperCase() + word.slice(1);
      untilStop = untilStop > 0 ? untilStop - 1 : 5 + Math.floor(random() * 15);
      if (untilStop === 0 || index === count - 1) text += script.space === '' ? '。' : '.';
    }
    return text;
  }

  function subject(root: number, script: Script): string {
    const random = randomFrom(4 * root + 4);
    const words = Array.from({ length: 3 + Math.floor(random() * 6) }, () => script.drawn(random()));
    return words.join(script.space);
  }

  function senderOf(index: number): Person {
    const random = randomFrom(4 * index + 2 ** 30);
    return person(people(random()));
  }

  function receivedAt(index: number): number {
    return Math.floor((END + (index - messages) * step) / 1_000) * 1_000;
  }

  function person(rank: number): Person {
    const script = scriptOf(rank * 31 + 5);
    const capital = (word: string) => word.charAt(0).toUpperCase() + word.slice(1);
    return {
      name: `${capital(script.word(rank * 7 + 400))} ${capital(script.word(rank * 13 + 900))}`,
      address: `user${rank}@${rank % 3 === 0 ? 'example.test' : `host${rank % 97}.example.net`}`,
    };
  }

  return { owner, to: END, email, person, receivedAt };
}

function wordCount(random: () => number): number {
  return Math.min(4_000, Math.max(5, Math.round(200 * Math.exp(0.9 * normal(random)))));
}

function scriptOf(seed: number): Script {
  let left = randomFrom(seed + 2 ** 29)();
  for (const script of SCRIPTS) {
    left -= script.share;
    if (left < 0) return script;
  }
  throw new Error('The shares of the scripts must add up to 1.');
}

function messageId(index: number): string {
  return `<${(index * 2_654_435_761) % 2 ** 40}.${index}@host${index % 97}.example.net>`;
}

function flagsOf(random: () => number): string {
  const seen = random() < 0.85 ? 'S' : '';
  return `${random() < 0.05 ? 'F' : ''}${seen && random() < 0.3 ? 'R' : ''}${seen}`;
}
