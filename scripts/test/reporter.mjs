// Reporter for `node --test`: a line of JSON for each test, `{ file, result, failure? }`, and a last one, `{ complete: true }`.
import { relative, resolve } from 'node:path';
import { inspect } from 'node:util';

export default async function* report(events) {
  const names = new Map();
  for await (const { type, data } of events) {
    if (data.file === undefined) continue;
    const file = relative(process.cwd(), resolve(data.file));
    if (type === 'test:start') {
      names.set(file, [...(names.get(file) ?? []).slice(0, data.nesting), data.name]);
    } else if (type === 'test:pass' || type === 'test:fail') {
      const result = resultOf(type, data);
      if (result === undefined) continue;
      const failure = result === 'failed' ? { failure: describe(file, names.get(file) ?? [], data) } : {};
      yield `${JSON.stringify({ file, result, ...failure })}\n`;
    }
  }
  yield `${JSON.stringify({ complete: true })}\n`;
}

/** How an event counts; suites and tests that failed only because of a test inside them do not. */
function resultOf(type, data) {
  if (data.details.type === 'suite' || data.details.error?.failureType === 'subtestsFailed') return undefined;
  if ([data.skip, data.todo].some((mark) => mark !== undefined && mark !== false)) return 'skipped';
  // Node reports a file without tests as one passed test; here it is a failure.
  return type === 'test:fail' || isWholeFile(data) ? 'failed' : 'passed';
}

function isWholeFile({ name, nesting, file }) {
  return nesting === 0 && resolve(name) === resolve(file);
}

function describe(file, names, data) {
  const name = [...names.slice(0, data.nesting), data.name].join(' › ');
  const error = data.details.error;
  // The runner wraps the thrown error; a timeout has no cause.
  return `  ✗ ${name}\n${indent(`at ${file}:${data.line ?? 1}\n${textOf(error?.cause ?? error ?? 'The file has no tests.')}`)}\n`;
}

function textOf(thrown) {
  if (typeof thrown === 'string') return thrown;
  // The message of an assertion already contains its values.
  const text = thrown?.code === 'ERR_ASSERTION' ? thrown.stack : inspect(thrown, { depth: 6 });
  return text.replace(/^\s+at (?:.*\()?node:.*\n?/gm, '').trimEnd();
}

function indent(text) {
  return text.replace(/^/gm, '      ');
}
