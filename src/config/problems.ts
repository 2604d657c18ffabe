import { AppError } from '../domain/errors.ts';
import { keyOf, nameOf } from './schema-walk.ts';
import type { SettingOrigin } from './settings-tree.ts';

/** A problem of the configuration. Its text never contains a value, which could be a secret. */
export interface Problem {
  /** The key, when it is about one. */
  key?: string;
  origin: SettingOrigin;
  /** `must be true or false` */
  text: string;
}

const MOST_TOLD = 50;

/** Says everything that is wrong with the configuration, a line for each problem. */
export class ConfigError extends AppError {
  readonly problems: readonly string[];

  constructor(problems: readonly Problem[], cause?: unknown) {
    const lines = [...problems].sort(byPlace).map(lineOf);
    const told = lines.slice(0, MOST_TOLD).map((line) => `\n  ${line}`);
    const more = lines.length > MOST_TOLD ? `\n  … and ${lines.length - MOST_TOLD} more` : '';
    super('VALIDATION_ERROR', `The configuration is not valid:${told.join('')}${more}`, {
      field: problems.length === 1 ? problems[0]?.key : undefined,
      cause,
    });
    this.problems = lines;
  }
}

export function lineOf({ key, origin, text }: Problem): string {
  return key === undefined ? `${placeOf(origin)}: ${text}` : `${key} (${placeOf(origin)}): ${text}`;
}

/** In the order of the file; problems of other origins are last. */
function byPlace({ origin: a }: Problem, { origin: b }: Problem): number {
  if (a.kind !== 'file' || b.kind !== 'file') return Number(a.kind !== 'file') - Number(b.kind !== 'file');
  return a.line - b.line || a.column - b.column;
}

function placeOf(origin: SettingOrigin): string {
  switch (origin.kind) {
    case 'file':
      return `${origin.file}:${origin.line}:${origin.column}`;
    case 'variable':
      return nameOf(origin.name);
    case 'flag':
      return `--set ${keyOf(origin.name.split('.'))}`;
  }
}
