import fc from 'fast-check';

/** A message of a made-up chat, and what a reader found of it. */
export interface ChatLine {
  /** Milliseconds since 1970. */
  at: number;
  sender: string;
  text: string;
}

export const SENDERS = ['ada', 'Bob_', 'cy|away', 'Dee'] as const;
/** What is easily taken for something else: markup, times, headers, marks of other programs. */
const PIECES = [
  'hello',
  'größer',
  'привет',
  '你好',
  '👍🏽',
  'a: b',
  'see https://example.org/?a=1&b=<2>',
  '<b>bold</b>',
  '&amp;',
  '=== ada waves',
  '12:34',
  '--- Day changed',
  '[13.06.2024, 15:04] Ada: hi',
  '"quoted"',
  '\\x0b',
  '{text}',
  '#tag',
  '-!-',
] as const;

/** Messages in the order of time, with gaps of up to some hours. `second` is the shortest unit that an export has. */
export function chatLines({ second, longestGap }: { second: number; longestGap: number }): fc.Arbitrary<ChatLine[]> {
  const text = fc.array(fc.constantFrom(...PIECES), { minLength: 1, maxLength: 5 }).map((pieces) => pieces.join(' '));
  const line = fc.record({ gap: fc.integer({ min: 0, max: longestGap }), sender: fc.constantFrom(...SENDERS), text });
  return fc.array(line, { minLength: 1, maxLength: 200 }).map((lines) => {
    let at = Date.UTC(2024, 5, 13);
    return lines.map(({ gap, sender, text: said }, index) => {
      at += gap * second * 1000;
      return { at, sender, text: `${said} ${index}` };
    });
  });
}

export interface Differences {
  count: number;
  times: number;
  senders: number;
  texts: number;
}

export const NONE: Differences = { count: 0, times: 0, senders: 0, texts: 0 };

/** How far two readings of an export differ, place by place: a wrong order differs in texts. */
export function differences(ours: readonly ChatLine[], others: readonly ChatLine[]): Differences {
  const differing = (field: keyof ChatLine) =>
    others.filter((line, index) => line[field] !== ours[index]?.[field]).length;
  return {
    count: Math.abs(ours.length - others.length),
    times: differing('at'),
    senders: differing('sender'),
    texts: differing('text'),
  };
}
