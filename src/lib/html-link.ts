/** Longer addresses are for click tracking: only their host is shown. */
const LONGEST_ADDRESS = 200;
const MAX_TEXT = 300;
/** A host at the beginning of a text, as in `www.example.test/page`. */
const HOST_IN_TEXT =
  /^(https?:\/\/|www\.)?(?:[^\s/@]{0,100}@)?((?:[\p{L}\p{N}_-]+\.)+([\p{L}]{2,24}))(?=[/:?#\s,.;)]|$)/iu;
/** Names of files look like hosts, too. */
const ENDINGS_OF_FILES = new Set(
  'pdf doc docx xls xlsx ppt pptx odt ods txt rtf csv html htm xml json yaml jpg jpeg png gif svg webp heic js ts mjs py rs go md sh java php css exe dmg zip gz tar ics eml mp3 mp4 mov wav'.split(
    ' ',
  ),
);

/**
 * What is written after the text of a link: its target, unless the text says it already. A text that is the address of another
 * site is pointed out.
 */
export function linkNote(href: string, text: string): string | undefined {
  const address = href.replaceAll(/[\t\n\r]/g, '').trim();
  if (text === '') return undefined;
  if (/^mailto:/i.test(address)) return mailNote(address, text);
  if (!/^https?:/i.test(address)) return undefined;
  const url = URL.parse(address);
  if (url === null) return undefined;
  const shown = address.length > LONGEST_ADDRESS ? `${url.protocol}//${url.host}/…` : url.href;
  const named = hostIn(text);
  if (named !== undefined && !isSameSite(named, url.hostname)) return `leads to another site: ${shown}`;
  return saysAddress(text, url) ? undefined : shown;
}

function hostIn(text: string): string | undefined {
  const [, prefix, host, ending = ''] = HOST_IN_TEXT.exec(text.slice(0, MAX_TEXT).trim()) ?? [];
  return prefix === undefined && ENDINGS_OF_FILES.has(ending.toLowerCase()) ? undefined : host;
}

function mailNote(address: string, text: string): string | undefined {
  const recipient = address.slice('mailto:'.length).split('?', 1)[0] ?? '';
  return /^[^\s<>()]{3,254}$/.test(recipient) && !text.toLowerCase().includes(recipient.toLowerCase())
    ? recipient
    : undefined;
}

/** One host is the other, or is within its domain. */
function isSameSite(named: string, host: string): boolean {
  const [one, other] = [bareHost(URL.parse(`http://${named}`)?.hostname ?? named), bareHost(host)];
  return one === other || one.endsWith(`.${other}`) || other.endsWith(`.${one}`);
}

function bareHost(host: string): string {
  return host.toLowerCase().replace(/^www\./, '');
}

function saysAddress(text: string, url: URL): boolean {
  const bare = url.href.replace(/^https?:\/\/(?:www\.)?/i, '').replace(/\/$/, '');
  return url.username === '' && text.includes(bare);
}
