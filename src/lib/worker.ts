/** Garbage is collected early, so that much data needs no more memory than little. */
export const THREAD_LIMITS = { maxYoungGenerationSizeMb: 4, maxOldGenerationSizeMb: 128 };

/** The module of a worker by its path in the source tree, from the file that starts it; a bundle has all of them in one folder. */
export function workerUrl(path: string, from: string): URL {
  const name = path.slice(path.lastIndexOf('/') + 1);
  return new URL(from.endsWith('.ts') ? `${path}.ts` : `./${name}.js`, from);
}
