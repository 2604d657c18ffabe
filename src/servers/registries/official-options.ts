import { AppError } from '../../domain/errors.ts';
import type { PackageType, ServerPackage } from '../../domain/server-config.ts';
import { createDraft, type ServerDraft } from '../draft/draft.ts';
import type { DraftPlace } from '../draft/draft-places.ts';
import { isSafeAddress } from '../draft/draft-url.ts';
import { isEnvName, isHeaderName, packageProblem } from '../draft/package-names.ts';
import { argumentPlaces, RefusedArgument, runtimePlaces } from './official-arguments.ts';
import {
  type OfficialKeyValue,
  type OfficialPackage,
  type OfficialRemote,
  type OfficialResponse,
  readPackage,
  readRemote,
} from './official-schema.ts';
import { refersToSecrets, TAKES_SECRETS } from './references.ts';
import { byPreference, type InstallOption } from './registry-entry.ts';
import { setsRuntimeVariable } from './runtime-options.ts';
import { collectInputs, piecesOf, toInput } from './template-inputs.ts';
import { cut, inputKey } from './texts.ts';

type Described = Pick<ServerDraft, 'name' | 'source'>;

const MALFORMED = 'its entry in the registry is malformed';
const USUAL_PROGRAM: Record<string, string> = { npm: 'npx', pypi: 'uvx', docker: 'docker' };
const NOT_HERE: Record<string, string> = {
  nuget: 'NuGet packages are not supported',
  cargo: 'Cargo packages are not supported',
  mcpb: 'MCPB bundles are not supported',
};

/** The ways in which a server of the official registry can be run. */
export function installOptions(server: OfficialResponse): readonly InstallOption[] {
  const described: Described = {
    name: server.title || cut(server.name.slice(server.name.indexOf('/') + 1), 100),
    source: { type: 'official', name: server.name, version: versionOf(server) },
  };
  return byPreference([
    ...server.packages.map((item) => packageOption(readPackage(item), described)),
    ...server.remotes.map((item) => remoteOption(readRemote(item), described)),
  ]);
}

export function versionOf(server: OfficialResponse): string {
  return server.version ?? server.versionDetail?.version ?? 'latest';
}

function packageOption(found: OfficialPackage | undefined, described: Described): InstallOption {
  if (found === undefined) return { package: 'unknown', reason: MALFORMED };
  const type = packageTypeOf(found.registryType);
  if (type === undefined) {
    const kind = found.registryType.replace(/[^\w-]/g, '').slice(0, 20);
    return { package: kind || 'unknown', reason: NOT_HERE[kind] ?? 'its kind of package is not supported' };
  }
  const reason = packageRefusal(found, type);
  if (reason !== undefined) return { package: type, reason };
  return orRefused(type, () => packageDraft(found, type, described));
}

/** `oci` is the registry's word for images. */
function packageTypeOf(registryType: string): 'npm' | 'pypi' | 'docker' | undefined {
  if (registryType === 'oci') return 'docker';
  return registryType === 'npm' || registryType === 'pypi' || registryType === 'docker' ? registryType : undefined;
}

function packageRefusal(found: OfficialPackage, type: PackageType): string | undefined {
  if (found.transport.type !== 'stdio') return 'its package opens an address of its own instead of using stdio';
  const usual = USUAL_PROGRAM[type];
  // The arguments of one program mean something else to another.
  if (found.runtimeHint && found.runtimeHint !== usual && found.runtimeArguments.length > 0) {
    return `it has to be run by another program than ${usual}`;
  }
  return packageProblem(type, found.identifier, found.version);
}

function packageDraft(found: OfficialPackage, type: PackageType, described: Described): ServerDraft {
  const collected = collectInputs();
  const env = found.environmentVariables.map((variable) => valuePlace('env', variable, collected));
  const { places: runtime, env: passed } = runtimePlaces(found.runtimeArguments, type, collected);
  const args = argumentPlaces(found.packageArguments, 'args', collected);
  const names = new Set(env.map(({ name }) => name));
  return checkedDraft(
    { ...described, package: toPackage(found, type), transport: { type: 'stdio' } },
    {
      inputs: collected.inputs,
      places: [...env, ...passed.filter(({ name }) => !names.has(name)), ...runtime, ...args],
    },
  );
}

const checkedDraft: typeof createDraft = (fields, { places = [], inputs = [] } = {}) => {
  if (refersToSecrets(places, inputs)) throw new RefusedArgument(TAKES_SECRETS);
  if (setsRuntimeVariable(places, inputs)) {
    throw new RefusedArgument('it sets a variable that changes how programs run here');
  }
  return createDraft(fields, { places, inputs });
};

function toPackage({ identifier, version }: OfficialPackage, type: PackageType): ServerPackage {
  // An image has its version in its name.
  return type === 'docker' || !version ? { type, identifier } : { type, identifier, version };
}

function remoteOption(found: OfficialRemote | undefined, described: Described): InstallOption {
  if (found === undefined) return { package: 'unknown', reason: MALFORMED };
  const type = found.type === 'sse' ? 'sse' : 'http';
  if (found.type !== 'sse' && found.type !== 'streamable-http') {
    return { package: 'http', reason: 'its transport is not supported' };
  }
  if (!isSafeAddress(found.url.replace(/\{[\w.-]+\}/g, 'x')) && !found.url.startsWith('{')) {
    return { package: 'http', reason: 'its address is not HTTPS' };
  }
  return orRefused('http', () => {
    const collected = collectInputs();
    const variables = new Map(Object.entries(found.variables ?? {}));
    const text = piecesOf(found.url).map((piece) => {
      if (typeof piece === 'string') return piece;
      const { value, ...variable } = variables.get(piece.input) ?? {};
      // There is no address without it.
      return (
        value ?? collected.add(toInput(inputKey(piece.input), 'variable', { ...variable, isRequired: true }), 'url')
      );
    });
    const headers = found.headers.map((header) => valuePlace('header', header, collected));
    return checkedDraft(
      { ...described, package: { type: 'http', identifier: found.url }, transport: { type, url: found.url } },
      { inputs: collected.inputs, places: [{ in: 'url', text }, ...headers] },
    );
  });
}

function valuePlace(
  kind: 'env' | 'header',
  item: OfficialKeyValue,
  { textFor }: ReturnType<typeof collectInputs>,
): Extract<DraftPlace, { in: 'env' | 'header' }> {
  const { name, description, isRequired } = item;
  if (kind === 'env' ? !isEnvName(name) : !isHeaderName(name)) throw new RefusedArgument(MALFORMED);
  return {
    in: kind,
    name,
    text: textFor(item, name, kind),
    ...(isRequired ? { required: true } : {}),
    ...(description ? { description } : {}),
  };
}

function orRefused(type: PackageType, make: () => ServerDraft): InstallOption {
  try {
    return { package: type, draft: make() };
  } catch (thrown) {
    if (thrown instanceof RefusedArgument) return { package: type, reason: thrown.message };
    // Its own defaults do not fit.
    if (thrown instanceof AppError) return { package: type, reason: MALFORMED };
    throw thrown;
  }
}
