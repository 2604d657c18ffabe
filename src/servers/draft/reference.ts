/** Whether a text refers to a secret or a variable of this machine, as values of a configuration do. */
export function hasReference(text: string): boolean {
  return /\$\{(?:env|secret):/.test(text);
}
