const MAX_HEADER = 100_000;
const MAX_ID = 250;
const MAX_IDS = 200;

/**
 * The ids in a header such as `Message-ID` or `References`. They are in angle brackets, with anything in between; some
 * programs omit the brackets.
 */
export function mailIdsIn(header = ''): string[] {
  const [, only] = USUAL.exec(header) ?? [];
  if (only !== undefined) return [only];
  const text = bounded(header);
  const inBrackets = [...text.matchAll(/<\s*([^<>\s]+)\s*>/g)].map(([, id = '']) => id);
  const ids = inBrackets.length > 0 ? inBrackets : text.split(/[\s,<>]+/).filter((each) => each.includes('@'));
  const short = ids.filter((id) => id.length <= MAX_ID);
  // The first id is the beginning of the thread, the last one is the message that is replied to.
  return short.length > MAX_IDS ? [...short.slice(0, 1), ...short.slice(1 - MAX_IDS)] : short;
}

/** One id and nothing else. */
const USUAL = new RegExp(`^<([^<>\\s]{1,${MAX_ID}})>$`);

function bounded(header: string): string {
  if (header.length <= MAX_HEADER) return header;
  return `${header.slice(0, MAX_HEADER / 2)} ${header.slice(-MAX_HEADER / 2)}`;
}
