/** Elements that show nothing which the plain text does not. */
const UNFORMATTED = /<\/?p>|<br>/g;

/** The text of an email as HTML, from Markdown. Loads its renderer when it is first needed. */
export async function markdownToHtml(text: string): Promise<string> {
  const { renderMarkdown } = await import('./markdown-renderer.ts');
  return renderMarkdown(text.toWellFormed());
}

/** Foreign text, which is not Markdown: as it is. */
export function textToHtml(text: string): string {
  return escaped(text.toWellFormed()).replaceAll(/\r\n?|\n/g, '<br>\n');
}

/** Whether it shows more than its plain text: a link, a list, emphasis. */
export function isFormatted(html: string): boolean {
  return html.replaceAll(UNFORMATTED, '').includes('<');
}

export function htmlDocument(body: string): string {
  return `<!doctype html>\n<html><head><meta charset="utf-8"></head><body>\n${body}</body></html>\n`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
