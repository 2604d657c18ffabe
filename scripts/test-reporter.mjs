// Reporter for `node --test`: a line for each file, failures in full, and the counts as JSON in $TEST_COUNTS_FILE.
import { writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import { inspect } from 'node:util';

const KEPT_OUTPUT = 20_000;

export default async function* report(events) {
  const files = new Map();
  const fileOf = (path) => {
    if (!files.has(path)) files.set(path, { passed: 0, failed: 0, skipped: 0, names: [], output: '', printed: false });
    return files.get(path);
  };

  for await (const { type, data } of events) {
    if (data.file === undefined) continue;
    const file = fileOf(data.file);
    if (type === 'test:start') {
      file.names.length = data.nesting;
      file.names[data.nesting] = data.name;
    } else if (type === 'test:pass') {
      if (data.details.type !== 'suite') file[isSkipped(data) ? 'skipped' : 'passed']++;
    } else if (type === 'test:fail') {
      if (data.details.error?.failureType === 'subtestsFailed') continue;
      if (isSkipped(data)) {
        file.skipped++;
        continue;
      }
      file.failed++;
      yield failure(data, file);
    } else if (type === 'test:stdout' || type === 'test:stderr') {
      file.output = (file.output + data.message).slice(-KEPT_OUTPUT);
    } else if (type === 'test:summary') {
      yield line(data.file, file);
    }
  }

  for (const [path, file] of files) yield line(path, file);
  writeCounts([...files.values()]);
}

function line(path, file) {
  if (file.printed) return '';
  file.printed = true;
  const counts = [`${file.passed} passed`];
  if (file.failed > 0) counts.push(`${file.failed} failed`);
  if (file.skipped > 0) counts.push(`${file.skipped} skipped`);
  const output = file.failed > 0 && file.output.trim() !== '' ? `${indent(`output:\n${file.output.trimEnd()}`)}\n` : '';
  return `  ${file.failed > 0 ? '✗' : '✓'} ${relative(process.cwd(), path)}: ${counts.join(', ')}\n${output}`;
}

function failure(data, file) {
  const name = [...file.names.slice(0, data.nesting), data.name].join(' › ');
  const where = `${relative(process.cwd(), data.file)}:${data.line ?? 1}`;
  const error = data.details.error;
  // The runner wraps what was thrown; a timeout or a crash of the file has no cause.
  const thrown = error?.cause instanceof Error ? error.cause : (error?.cause ?? error);
  const text = typeof thrown === 'string' ? thrown : inspect(thrown, { depth: 6 });
  return `  ✗ ${name}\n${indent(`at ${where}\n${text}`)}\n`;
}

function isSkipped(data) {
  return (data.skip !== undefined && data.skip !== false) || (data.todo !== undefined && data.todo !== false);
}

function indent(text) {
  return text.replace(/^/gm, '      ');
}

function writeCounts(files) {
  const sum = (key) => files.reduce((total, file) => total + file[key], 0);
  const counts = { passed: sum('passed'), failed: sum('failed'), skipped: sum('skipped') };
  if (process.env.TEST_COUNTS_FILE) writeFileSync(process.env.TEST_COUNTS_FILE, JSON.stringify(counts));
}
