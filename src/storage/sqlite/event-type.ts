/** `SessionLogLevelSet` becomes `session.log-level-set`. */
export function toEventType(name: string): string {
  const [aggregate = '', ...words] = name.split(/(?=[A-Z])/).map((word) => word.toLowerCase());
  return `${aggregate}.${words.join('-')}`;
}
