import { below, capital, identifier, ONE_WORD, pick, SIGNED_TERMS, serial, url, word } from './chat-identifiers.ts';
import { type ChatScript, LATIN } from './chat-scripts.ts';
import { byShare, normal } from './generated-words.ts';

type Random = () => number;

/** No message is longer, in characters; most scripts have more than one byte for each. */
const LONGEST = { latin: 30_000, other: 12_000 };

/** Shares of all messages, and what such a message is. Lengths are lognormal: one word to 30 KB. */
const KINDS: readonly { share: number; make(random: Random, script: ChatScript): string }[] = [
  { share: 0.06, make: (random) => pick(ONE_WORD, random) },
  { share: 0.62, make: (random, script) => line(random, script, 9, 0.9) },
  { share: 0.12, make: (random, script) => paragraphs(random, script, 1, 40) },
  {
    share: 0.04,
    make: (random, script) => `${random() < 0.5 ? `${line(random, script, 5, 0.6)} ` : ''}${url(random)}`,
  },
  { share: 0.07, make: mail },
  { share: 0.04, make: (random) => code(random, size(random, 9, 0.9)) },
  { share: 0.03, make: (random) => log(random, size(random, 9, 1)) },
  { share: 0.02, make: (random, script) => paragraphs(random, script, 4, 120) },
];

const LEVELS = ['INFO', 'INFO', 'INFO', 'WARN', 'ERROR', 'DEBUG'] as const;

/** What somebody may write. The same random numbers give the same text. */
export function chatText(random: Random, script: ChatScript): string {
  const { make } = byShare(KINDS, random());
  return make(random, script).slice(0, script === LATIN ? LONGEST.latin : LONGEST.other);
}

function size(random: Random, median: number, spread: number): number {
  return Math.max(1, Math.round(median * Math.exp(spread * normal(random))));
}

/** A sentence or two, with what people put between words. */
function line(random: Random, script: ChatScript, median: number, spread: number): string {
  const count = Math.min(size(random, median, spread), 4_000);
  const parts = Array.from({ length: count }, () => token(random, script));
  if (random() < 0.1) parts.unshift(`${word(random)}${random() < 0.5 ? ':' : ','}`);
  const text = parts.join(script.space);
  const end = pick(['.', '.', '', '', '', '?', '!', ' :)', '…'], random);
  return random() < 0.4 ? `${capital(text)}${end}` : `${text}${end}`;
}

function token(random: Random, script: ChatScript): string {
  const kind = random();
  if (kind > 0.06) return script.drawn(random());
  if (kind > 0.035) return `${script.drawn(random())}${pick([',', ',', ',', ';', '.', ')', "'s"], random)}`;
  const foreign = kind > 0.013 ? identifier(random) : kind > 0.006 ? serial(random) : quoted(random, kind);
  return script.space === '' ? ` ${foreign} ` : foreign;
}

function quoted(random: Random, kind: number): string {
  if (kind < 0.0003) return pick(SIGNED_TERMS, random);
  const text = kind < 0.003 ? `${word(random)} ${word(random)}` : identifier(random);
  return pick([`"${text}"`, `(${text})`, `\`${text}\``, `*${text}*`, `[${text}]`], random);
}

function paragraphs(random: Random, script: ChatScript, median: number, words: number): string {
  return Array.from({ length: Math.min(size(random, median, 0.8), 40) }, () => line(random, script, words, 0.6)).join(
    '\n\n',
  );
}

/** An answer on a mailing list: some of what it answers, some new text, a signature. */
function mail(random: Random, script: ChatScript): string {
  const parts = [`On ${day(random)}, ${capital(word(random))} ${capital(word(random))} wrote:`];
  for (let count = size(random, 2, 0.7); count > 0; count--) {
    const former = wrapped(line(random, script, 45, 0.7));
    const depth = random() < 0.3 ? '> > ' : '> ';
    parts.push(former.map((text) => `${depth}${text}`).join('\n'), wrapped(line(random, script, 40, 0.8)).join('\n'));
    if (random() < 0.06) parts.push(code(random, size(random, 8, 0.8)));
  }
  parts.push(`-- \n${capital(word(random))} ${capital(word(random))}\n${url(random)}`);
  return parts.join('\n\n');
}

function wrapped(text: string): string[] {
  return text.match(/.{1,72}(?:\s|$)|.{72}/gu) ?? [text];
}

const STATEMENTS: readonly ((random: Random) => string)[] = [
  (random) => `if (${identifier(random)} != ${identifier(random)}) { return ${word(random)}; }`,
  (random) =>
    `const ${identifier(random)} = await ${identifier(random)}(${word(random)}, { ${word(random)}: ${below(100, random)} });`,
  (random) => `${identifier(random)}[${word(random)}] += ${identifier(random)}->${word(random)};`,
  (random) => `for (int i = 0; i < ${identifier(random)}; i++) ${identifier(random)}(&${word(random)}[i]);`,
  (random) => `# ${word(random)} ${word(random)} ${word(random)}`,
  (random) => `${identifier(random)} |> ${identifier(random)}(${word(random)})`,
  (random) => `mov %rax, ${below(64, random)}(%rsp)  ; ${word(random)}`,
  () => '}',
];

function code(random: Random, count: number): string {
  const lines = Array.from(
    { length: Math.min(count, 400) },
    () => ' '.repeat(2 * below(4, random)) + pick(STATEMENTS, random)(random),
  );
  return random() < 0.5 ? `\`\`\`\n${lines.join('\n')}\n\`\`\`` : lines.join('\n');
}

function log(random: Random, count: number): string {
  const place = identifier(random);
  return Array.from({ length: Math.min(count, 300) }, () => logLine(random, place)).join('\n');
}

function logLine(random: Random, place: string): string {
  const time = `${day(random)}T${two(random, 24)}:${two(random, 60)}:${two(random, 60)}.${below(1_000, random)}Z`;
  const said = `${word(random)} ${word(random)}=${serial(random)} ${random() < 0.01 ? 'out of memory' : word(random)}`;
  return `${time} ${pick(LEVELS, random)} [${place}:${below(900, random)}] ${said}`;
}

function day(random: Random): string {
  return `20${two(random, 27)}-${two(random, 12)}-${two(random, 28)}`;
}

function two(random: Random, end: number): string {
  return String(below(end, random)).padStart(2, '0');
}

/** Two words that somebody wrote one after the other, as a phrase to search for; undefined if the text has none. */
export function phraseIn(text: string, random: Random): string | undefined {
  const pairs = text.match(/\b[a-z]{2,} [a-z]{2,}\b/g) ?? [];
  return pairs.length === 0 ? undefined : pick(pairs, random);
}

/** A word that no generated text has. */
export function unwritten(random: Random): string {
  return `${LATIN.word(Math.floor(random() * 1_000))}xq${LATIN.word(Math.floor(random() * 1_000))}`;
}
