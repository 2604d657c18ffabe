/** Tokens of one answer, or of a whole conversation. */
export interface TokenUsage {
  input: number;
  output: number;
  /** Input that was read from the cache of prompts, and input that was written to it. */
  cacheRead: number;
  cacheWrite: number;
}

/** US dollars per million tokens. */
export interface TokenPrice {
  input: number;
  output: number;
}

export const NO_USAGE: TokenUsage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };

const CACHE_READ = 0.1;
const CACHE_WRITE = 1.25;
const MILLION = 1_000_000;

export function addUsage(a: TokenUsage, b: TokenUsage): TokenUsage {
  return {
    input: a.input + b.input,
    output: a.output + b.output,
    cacheRead: a.cacheRead + b.cacheRead,
    cacheWrite: a.cacheWrite + b.cacheWrite,
  };
}

export function totalTokens({ input, output, cacheRead, cacheWrite }: TokenUsage): number {
  return input + output + cacheRead + cacheWrite;
}

/** In US dollars. Undefined where the price is not known. */
export function costOf(usage: TokenUsage, price: TokenPrice | undefined): number | undefined {
  if (!price) return undefined;
  const read = usage.input + usage.cacheRead * CACHE_READ + usage.cacheWrite * CACHE_WRITE;
  return (read * price.input + usage.output * price.output) / MILLION;
}
