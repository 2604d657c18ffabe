// Reporter for `node --test`: a line for each file, failures in full, and the counts as JSON in $TEST_COUNTS_FILE.
import { writeFileSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { inspect } from 'node:util';

const KEPT_OUTPUT = 20_000;

export default async function* report(events) {
  const files = new Map();
  const fileOf = (path) => {
    if (!files.has(path)) files.set(path, { passed: 0, failed: 0, skipped: 0, names: [], output: '', finished: false });
    return files.get(path);
  };

  for await (const { type, data } of events) {
    if (data.file === undefined) continue;
    const path = resolve(data.file);
    const file = fileOf(path);
    if (type === 'test:start') {
      file.names.length = data.nesting;
      file.names[data.nesting] = data.name;
    } else if (type === 'test:stdout' || type === 'test:stderr') {
      file.output = (file.output + data.message).slice(-KEPT_OUTPUT);
    } else if (type === 'test:pass' || type === 'test:fail') {
      const result = resultOf(type, data, path);
      if (result !== undefined) file[result]++;
      if (result === 'failed') yield failure(data, file);
      // A file that crashed or was ended has no summary of its own.
      if (isWholeFile(data, path)) yield line(path, file);
    } else if (type === 'test:summary') {
      yield line(path, file);
    }
    if (type === 'test:fail' || type === 'test:summary') writeCounts(files);
  }

  for (const [path, file] of files) yield line(path, file);
  writeCounts(files);
}

function line(path, file) {
  if (file.finished) return '';
  file.finished = true;
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
  return `  ✗ ${name}\n${indent(`at ${where}\n${describe(error?.cause ?? error ?? 'The file has no tests.')}`)}\n`;
}

function describe(thrown) {
  if (typeof thrown === 'string') return thrown;
  // The message of an assertion has its values already.
  const text = thrown?.code === 'ERR_ASSERTION' ? thrown.stack : inspect(thrown, { depth: 6 });
  return text.replace(/^\s+at (?:.*\()?node:.*\n?/gm, '').trimEnd();
}

/** How an event counts; suites and tests that failed only because of a test inside them do not. */
function resultOf(type, data, path) {
  if (data.details.type === 'suite' || data.details.error?.failureType === 'subtestsFailed') return undefined;
  if ([data.skip, data.todo].some((mark) => mark !== undefined && mark !== false)) return 'skipped';
  // Node passes a file without tests as one test; here it is a mistake.
  return type === 'test:fail' || isWholeFile(data, path) ? 'failed' : 'passed';
}

function isWholeFile({ name, nesting }, path) {
  return nesting === 0 && resolve(name) === path;
}

function indent(text) {
  return text.replace(/^/gm, '      ');
}

/** Written as it goes, so that a run which is cut short still says how far it came. */
function writeCounts(files) {
  if (!process.env.TEST_COUNTS_FILE) return;
  const counts = { passed: 0, failed: 0, skipped: 0, finished: [] };
  for (const [path, file] of files) {
    for (const key of ['passed', 'failed', 'skipped']) counts[key] += file[key];
    if (file.finished) counts.finished.push(relative(process.cwd(), path));
  }
  writeFileSync(process.env.TEST_COUNTS_FILE, JSON.stringify(counts));
}
