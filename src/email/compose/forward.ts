import { bareSubject } from '../../lib/mail-subject.ts';
import { forwardedHtml, forwardedText, type QuotedEmail } from './quote.ts';
import { type OriginalEmail, referencesTo } from './reply.ts';

/** What an email is called that contains another one, and what it belongs to. */
export function forwardHeader(original: OriginalEmail): { subject: string; references: readonly string[] } {
  return { subject: `Fwd: ${bareSubject(original.subject)}`.trim(), references: referencesTo(original) };
}

/** The writer's text, which may be empty, and the original below it. */
export function withForwarded(
  { text, html }: { text: string; html?: string | undefined },
  original: QuotedEmail,
): { text: string; html?: string } {
  const before = text.trim() === '' ? '' : `${text.trimEnd()}\n\n`;
  return {
    text: `${before}${forwardedText(original)}`,
    ...(html === undefined ? {} : { html: `${html}${forwardedHtml(original)}` }),
  };
}
