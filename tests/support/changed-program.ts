import { cpSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { temporaryFolder } from './temporary-folder.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const ARCHITECTURE_TEST = join('tests', 'architecture.test.ts');
const ADDITIONS = join(import.meta.dirname, 'additions');

export interface ProgramChange {
  /** Folders of `tests/support/additions` that are added at the same path in `src`. */
  folders: readonly string[];
  /** The one existing file that is changed, relative to `src`. */
  file: string;
  edit(text: string): string;
}

/** A copy of the program's sources with a change, removed at the end. `main` runs it, with Node. */
export function changedProgram(onEnd: (clean: () => void) => void, { folders, file, edit }: ProgramChange) {
  const root = temporaryFolder(onEnd);
  const src = join(root, 'src');
  cpSync(join(ROOT, 'src'), src, { recursive: true, filter: (path) => !path.endsWith('.test.ts') });
  for (const path of ['package.json', ARCHITECTURE_TEST]) cpSync(join(ROOT, path), join(root, path));
  symlinkSync(join(ROOT, 'node_modules'), join(root, 'node_modules'));
  for (const folder of folders) addFolder(join(ADDITIONS, folder), join(src, folder), src);
  const before = readFileSync(join(src, file), 'utf8');
  const after = edit(before);
  writeFileSync(join(src, file), after);
  return {
    root,
    main: join(src, 'main.ts'),
    architectureTest: join(root, ARCHITECTURE_TEST),
    addedLines: addedLines(before, after),
  };
}

/** The additions are compiled and checked where they are, so their imports refer to our own sources. */
function addFolder(from: string, to: string, src: string): void {
  if (statSync(to, { throwIfNoEntry: false })) throw new Error(`${to} exists already`);
  for (const name of readdirSync(from, { recursive: true, encoding: 'utf8' })) {
    const source = join(from, name);
    if (!statSync(source).isFile()) continue;
    const target = join(to, name);
    const up = relative(dirname(target), src).split(sep).join('/');
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, readFileSync(source, 'utf8').replaceAll(/'(?:\.\.\/)+src\//g, `'${up}/`));
  }
}

/** Lines that are new or different. */
function addedLines(before: string, after: string): string[] {
  const known = new Set(before.split('\n'));
  return after.split('\n').filter((line) => !known.has(line));
}
