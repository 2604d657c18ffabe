/** A text of a header: on one line, without controls, of a bounded length. */
export function oneLine(text: string, limit: number): string {
  const short = text.length > limit ? text.slice(0, limit).toWellFormed() : text;
  return (
    /[\s\x00-\x1f\x7f-\x9f]{2}|[^\S ]|[\x00-\x1f\x7f-\x9f]/.test(short)
      ? short.replaceAll(/[\s\x00-\x1f\x7f-\x9f]+/g, ' ')
      : short
  ).trim();
}
