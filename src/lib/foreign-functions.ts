import { createRequire } from 'node:module';

/** The part of the foreign function interface that is used here. */
interface ForeignFunctions {
  load(library: null): { func(prototype: string): (...args: unknown[]) => number };
  errno(): number;
}

let loaded: ForeignFunctions | undefined;

/** Functions of the C library, if something has used them already. */
export function loadedForeignFunctions(): ForeignFunctions | undefined {
  return loaded;
}

/** Functions of the C library. Fails with the name of the missing package. */
export function loadForeignFunctions(): ForeignFunctions {
  const name = `@koromix/koffi-${process.platform}-${process.arch}`;
  try {
    loaded ??= load(name);
    return loaded;
  } catch (cause) {
    throw new Error(`the optional package ${name} is not installed or does not load.`, { cause });
  }
}

/** Its own first module reads Node's executable to find out which C library there is, which takes longer than a lock. */
function load(name: string): ForeignFunctions {
  const require = createRequire(import.meta.url);
  try {
    if (process.platform === 'linux') return require(`${name}/linux_${process.arch}/koffi.node`) as ForeignFunctions;
  } catch {
    // Another C library than the usual one, or another version of the package.
  }
  return require(name) as ForeignFunctions;
}
