import type { PackageType } from '../../domain/server-config.ts';
import type { DraftPlace } from '../draft/draft-places.ts';
import { isEnvName } from '../draft/package-names.ts';
import type { OfficialArgument } from './official-schema.ts';
import { optionRefusal } from './runtime-options.ts';
import type { collectInputs } from './template-inputs.ts';

type Collected = ReturnType<typeof collectInputs>;
type ArgumentPlace = Extract<DraftPlace, { in: 'args' | 'runtime_args' }>;
type EnvPlace = Extract<DraftPlace, { in: 'env' | 'header' }>;

/** Why a way to run a server is not offered; the text is ours. */
export class RefusedArgument extends Error {
  override readonly name = 'RefusedArgument';
}

/** What our own command has already. */
const ALWAYS_THERE: Partial<Record<PackageType, ReadonlySet<string>>> = {
  npm: new Set(['-y', '--yes']),
  docker: new Set(['run', '-i', '--interactive', '--rm']),
};

export function argumentPlaces(
  items: readonly OfficialArgument[],
  list: ArgumentPlace['in'],
  collected: Collected,
): readonly ArgumentPlace[] {
  return items.flatMap((item, index) => {
    if (isSecret(item)) {
      // Any program of this machine can read the arguments of another.
      if (isNeeded(item))
        throw new RefusedArgument('it takes a secret as an argument, where other programs can read it');
      return [];
    }
    const { isRepeated = false } = item;
    const name = item.type === 'named' ? item.name : item.valueHint || `argument-${index + 1}`;
    const isSwitch = item.type === 'named' && item.value === undefined && item.format === 'boolean';
    const text = collected.textFor(item, name, 'argument');
    return [
      {
        in: list,
        text,
        ...(item.type === 'named' ? { flag: item.name } : {}),
        ...(isRepeated ? { repeated: true } : {}),
        ...(isSwitch ? { isSwitch } : {}),
      },
    ];
  });
}

/** Arguments for the program that runs the package. Variables among those of Docker become variables of the server. */
export function runtimePlaces(
  items: readonly OfficialArgument[],
  type: PackageType,
  collected: Collected,
): { places: readonly ArgumentPlace[]; env: readonly EnvPlace[] } {
  const env: EnvPlace[] = [];
  const rest = items.filter((item) => {
    const word = item.type === 'named' ? item.name : (item.value ?? '');
    const refusal = optionRefusal(item, type);
    if (refusal !== undefined) throw new RefusedArgument(refusal);
    if (ALWAYS_THERE[type]?.has(word)) return false;
    const variable = type === 'docker' ? variableOf(item, collected) : undefined;
    if (variable) env.push(variable);
    return variable === undefined;
  });
  return { places: argumentPlaces(rest, 'runtime_args', collected), env };
}

/** `-e NAME=value`. */
function variableOf(item: OfficialArgument, { textFor }: Collected): EnvPlace | undefined {
  if (item.type !== 'named' || !/^(-e|--env)=?$/.test(item.name)) return undefined;
  const [, name = '', value] = /^([^=]+)=(.*)$/s.exec(item.value ?? '') ?? [];
  if (value === undefined || !isEnvName(name)) return undefined;
  const { isRequired, description } = item;
  return {
    in: 'env',
    name,
    text: textFor({ ...item, isRepeated: undefined, value }, name, 'env'),
    ...(isRequired ? { required: true } : {}),
    ...(description ? { description } : {}),
  };
}

function isSecret(item: OfficialArgument): boolean {
  return item.isSecret === true || Object.values(item.variables ?? {}).some((variable) => variable.isSecret);
}

function isNeeded(item: OfficialArgument): boolean {
  return item.isRequired === true || Object.values(item.variables ?? {}).some((variable) => variable.isRequired);
}
