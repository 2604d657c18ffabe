const ENVELOPE = 'From ada@example.test Thu Jun 13 12:34:56 2024';

/** An mbox of emails, each with header fields and a body. */
export function mboxOf(...letters: { fields?: Record<string, string>; body?: string; envelope?: string }[]): string {
  return letters
    .map(({ fields = {}, body = 'hello', envelope = ENVELOPE }) => {
      const all = {
        From: 'Ada <Ada@example.test>',
        Date: 'Thu, 13 Jun 2024 14:34:56 +0200',
        Subject: 'Plan',
        'Message-ID': '<1@example.test>',
        ...fields,
      };
      const lines = Object.entries(all).flatMap(([name, value]) => (value === '' ? [] : [`${name}: ${value}`]));
      return `${envelope}\n${lines.join('\n')}\n\n${body}\n\n`;
    })
    .join('');
}
