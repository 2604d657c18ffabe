import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { root } from '../checkout.mjs';

/** Writes one file with the licences of all bundled packages, and the legal comments in their code. */
export function collectLicences(outdir, { inputs }) {
  const folders = new Set(Object.keys(inputs).map(packageFolder).filter(Boolean));
  const licences = [...folders].sort().map((folder) => licenceOf(join(root, folder)));
  const comments = readdirSync(outdir).filter((name) => name.endsWith('.LEGAL.txt'));
  const texts = comments.map((name) => readFileSync(join(outdir, name), 'utf8'));
  for (const name of comments) rmSync(join(outdir, name));
  const rule = `\n${'-'.repeat(80)}\n\n`;
  writeFileSync(join(outdir, 'THIRD-PARTY-LICENSES.txt'), [...licences, ...new Set(texts)].join(rule));
}

/** The innermost `node_modules/@scope/name`; undefined for our sources. */
function packageFolder(input) {
  return /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(dirname(input))?.[0];
}

function licenceOf(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const file = readdirSync(folder).find((each) => /^(licen[cs]e|copying)(\.|$)/i.test(each));
  const path = file && join(folder, file);
  const text = path && existsSync(path) ? readFileSync(path, 'utf8').trim() : 'The package carries no licence file.';
  return `${name} ${version} (${license})\n\n${text}\n`;
}
