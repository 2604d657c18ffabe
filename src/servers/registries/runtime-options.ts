import type { PackageType } from '../../domain/server-config.ts';
import type { DraftInput } from '../draft/draft.ts';
import type { DraftPlace } from '../draft/draft-places.ts';
import type { OfficialArgument } from './official-schema.ts';

/**
 * Options of the program that runs a package which an entry may use. Others could take the package from elsewhere, run a shell,
 * or give a container access to this machine; whoever wants that adds the server by hand, and sees them.
 */
const ALLOWED: Partial<Record<PackageType, ReadonlySet<string>>> = {
  npm: new Set(['-y', '--yes', '-p', '--package', '-q', '--quiet', '--prefer-online', '--prefer-offline', '--']),
  pypi: new Set(['--from', '--with', '-p', '--python', '-q', '--quiet', '--no-cache', '--refresh', '--prerelease']),
  docker: new Set([
    ...['run', '-i', '--interactive', '--rm', '-t', '--tty', '--init', '-e', '--env', '-v', '--volume', '--mount'],
    ...['--network', '--net', '-p', '--publish', '--add-host', '--dns', '-h', '--hostname', '--platform', '--pull'],
    ...['-u', '--user', '-w', '--workdir', '--entrypoint', '-l', '--label', '-m', '--memory', '--cpus', '--shm-size'],
    ...['--tmpfs', '--read-only', '--cap-drop', '--name'],
  ]),
};
const MOUNTS = new Set(['-v', '--volume', '--mount']);

/** Variables that change which program runs, what it loads or where packages come from. */
const RUNTIME_VARIABLES =
  /^(?:PATH|(?:LD|DYLD|NPM_CONFIG|UV|PIP|DOCKER)_.*|NODE_(?:OPTIONS|PATH|EXTRA_CA_CERTS)|PYTHON(?:PATH|HOME|STARTUP)|(?:BASH_)?ENV|(?:HTTPS?|ALL)_PROXY|SSL_CERT_.*)$/i;

/** Whether an entry sets such a variable without asking. */
export function setsRuntimeVariable(places: readonly DraftPlace[], inputs: readonly DraftInput[]): boolean {
  const asked = new Set(inputs.filter((input) => input.default === undefined).map(({ key }) => key));
  return places.some(
    (place) =>
      place.in === 'env' &&
      RUNTIME_VARIABLES.test(place.name) &&
      !place.text.some((piece) => typeof piece !== 'string' && asked.has(piece.input)),
  );
}

/** Why an argument for the program that runs a package is refused, or undefined. */
export function optionRefusal(item: OfficialArgument, type: PackageType): string | undefined {
  const option = (item.type === 'named' ? item.name : presetText(item)).split('=')[0] ?? '';
  if (item.type === 'positional' && !option.startsWith('-')) return undefined;
  if (!ALLOWED[type]?.has(option)) return 'it sets options of the program that runs it which are not allowed';
  if (type !== 'docker' || !MOUNTS.has(option)) return undefined;
  // As two arguments, or in one with its option, it is not known what is mounted.
  const isAsked = item.type === 'named' && /^--?\w+=?$/.test(item.name) && isSourceAsked(presetText(item));
  return isAsked ? undefined : 'it would get a folder of this machine without asking which';
}

/** The text without what the user is asked for. */
function presetText({ value, default: preset, variables }: OfficialArgument): string {
  return (value ?? preset ?? '').replace(/\{([\w.-]+)\}/g, (whole, name: string) => {
    const variable = variables && Object.hasOwn(variables, name) ? variables[name] : undefined;
    return variable === undefined ? whole : (variable.value ?? variable.default ?? '');
  });
}

/** `:/data` and `src=,dst=/data` are asked for; `data:/data` is a volume of Docker. */
function isSourceAsked(text: string): boolean {
  if (text === '') return true;
  const isMount = text.includes('=');
  const sources = isMount
    ? text.split(',').flatMap((part) => /^\s*(?:src|source)=(.*)$/is.exec(part)?.[1] ?? [])
    : [text.split(':')[0] ?? ''];
  return sources.every((source) => /^(?:[a-z\d][\w.-]*)?$/i.test(source));
}
