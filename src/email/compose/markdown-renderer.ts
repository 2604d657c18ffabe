import MarkdownIt from 'markdown-it';

/** Absolute links only: there is no page that another one could be relative to. */
const LINK = /^(?:https?:\/\/|mailto:)[^\s\0-\x1f\x7f]+$/i;

const renderer = createRenderer();

/** Markdown as HTML that runs nothing and loads nothing. */
export function renderMarkdown(text: string): string {
  return renderer.render(text);
}

function createRenderer() {
  // A line break of the writer is one for the reader, too.
  const markdown = new MarkdownIt({ html: false, linkify: true, breaks: true, typographer: false });
  markdown.linkify.set({ fuzzyLink: false, fuzzyEmail: false, fuzzyIP: false });
  markdown.validateLink = (url) => LINK.test(url);
  // An image would be loaded by its reader, which tells its server who reads.
  markdown.renderer.rules.image = (tokens, index, options, env) => {
    const token = tokens[index];
    const alt = markdown.renderer.renderInlineAsText(token?.children ?? [], options, env);
    const source = String(token?.attrGet('src') ?? '');
    const { escapeHtml } = markdown.utils;
    if (!LINK.test(source)) return escapeHtml(alt);
    return `<a href="${escapeHtml(source)}">${escapeHtml(alt || source)}</a>`;
  };
  // `[text]()` is a link to nowhere, which is not checked by `validateLink`.
  markdown.renderer.rules.link_open = (tokens, index, options, _env, self) =>
    LINK.test(String(tokens[index]?.attrGet('href') ?? '')) ? self.renderToken(tokens, index, options) : '<a>';
  return markdown;
}
