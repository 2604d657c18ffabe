/** The line about a changed configuration that cannot be used. */
export function formerInForce(problem: string): string {
  return `Configuration: the former one is in force, because the changed one cannot be used. ${problem}`;
}
