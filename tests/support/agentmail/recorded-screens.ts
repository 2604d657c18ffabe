import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A screen of a real program, as `capture-pane -e -p` printed it. */
export interface RecordedScreen {
  program: string;
  version: string;
  /** `empty`, `busy`, `draft`: the main prompt in that state; `dialog`: anything else. */
  kind: string;
  label: string;
  width: number;
  height: number;
  capture: string;
  cursorX: number;
  cursorY: number;
}

const FOLDER = join(import.meta.dirname, 'screens');
const HEADING = /^=== (\w+) · (.+) · (\d+)x(\d+) · cursor (\d+),(\d+)$/;

/**
 * One file per program: its name and version, then screens. In a screen `\e` is an escape character and `{c*n}` a
 * character that is repeated; blank rows at the end are left out.
 */
export function recordedScreens(): RecordedScreen[] {
  return readdirSync(FOLDER).flatMap((file) => {
    const [head = '', ...sections] = readFileSync(join(FOLDER, file), 'utf8').split(/^(?==== )/m);
    const [program = '', version = ''] = head.trim().split(' ');
    return sections.map((section) => ({ program, version, ...toScreen(section) }));
  });
}

function toScreen(section: string): Omit<RecordedScreen, 'program' | 'version'> {
  const [heading = '', ...lines] = section.replace(/\n$/, '').split('\n');
  const [, kind = '', label = '', width, height, x, y] = HEADING.exec(heading) ?? [];
  const capture = lines
    .join('\n')
    .replaceAll('\\e', '\x1b')
    .replace(/\{(.)\*(\d+)\}/gu, (_, character: string, count: string) => character.repeat(Number(count)));
  const blanks = '\n'.repeat(Math.max(0, Number(height) - lines.length));
  return {
    kind,
    label,
    width: Number(width),
    height: Number(height),
    capture: `${capture}${blanks}`,
    cursorX: Number(x),
    cursorY: Number(y),
  };
}
