import type { Contender, Judgement, Measure, Report, Row } from './report.ts';

export function formatReport({ contenders, rows, judgements, layout }: Report): string {
  const table = layout === 'contenders in rows' ? formatWide(rows, contenders) : formatTable(rows, contenders);
  return `${table}\n\nTargets\n${formatJudgements(judgements, rows, contenders)}`;
}

/** So many numbers fit into a line. */
const WIDEST = 7;

/** For many contenders: a line for each, in as many tables as are needed. */
function formatWide(rows: readonly Row[], contenders: readonly Contender[]): string {
  const tables = Array.from({ length: Math.ceil(rows.length / WIDEST) }, (_, number) => {
    const shown = rows.slice(number * WIDEST, (number + 1) * WIDEST);
    return aligned([
      ['', ...shown.map(inFull)],
      ...contenders.map(({ id, title }) => [title, ...shown.map(({ values }) => inWords(values[id]))]),
    ]);
  });
  const notes = contenders.flatMap(({ title, note }) => (note === undefined ? [] : [`${title}: ${note}`]));
  return [...tables, ...(notes.length > 0 ? [notes.join('\n')] : [])].join('\n\n');
}

function formatTable(rows: readonly Row[], contenders: readonly Contender[]): string {
  return aligned([
    ['', ...contenders.map(({ title }) => title), 'ratio'],
    ...rows.map((row) => [
      inFull(row),
      ...contenders.map(({ id }) => inWords(row.values[id])),
      row.ratio === undefined ? '' : inTimes(row.ratio),
    ]),
  ]);
}

function formatJudgements(
  judgements: readonly Judgement[],
  rows: readonly Row[],
  contenders: readonly Contender[],
): string {
  const titleOf = (wanted?: string) => contenders.find(({ id }) => id === wanted)?.title ?? '';
  return judgements
    .map(({ measure, of, times, value, met, ...target }) => {
      const row = rows.find(({ id }) => id === measure);
      const result = times === undefined ? inWords(value) : `${inTimes(value)} ${titleOf(times)}`;
      return `${met ? 'met   ' : 'missed'}  ${titleOf(of)}, ${row ? inFull(row) : measure}: ${result} (${limitOf(target)})`;
    })
    .join('\n');
}

function limitOf({ atMost, atLeast }: Pick<Judgement, 'atMost' | 'atLeast'>): string {
  return atLeast === undefined ? `at most ${atMost}` : `at least ${atLeast}`;
}

function inFull({ title, unit }: Measure): string {
  return `${title}, ${unit}`;
}

function inWords(value: number | undefined): string {
  if (value === undefined) return '–';
  return value < 100 ? value.toFixed(1) : Math.round(value).toLocaleString('en');
}

function inTimes(ratio: number): string {
  return `${ratio < 0.1 ? ratio.toPrecision(2) : ratio.toFixed(2)} ×`;
}

/** The first column to the left, numbers to the right. */
function aligned(lines: readonly string[][]): string {
  const widths = (lines[0] ?? []).map((_, column) => Math.max(...lines.map((cells) => (cells[column] ?? '').length)));
  const pad = (cell: string, column: number) =>
    column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0);
  return lines.map((cells) => cells.map(pad).join('  ').trimEnd()).join('\n');
}
