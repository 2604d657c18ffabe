/** `SessionLogLevelSet` of an aggregate is `session.log-level-set` in the event log. */
export function toEventType(name: string): string {
  const [aggregate = '', ...words] = name.split(/(?=[A-Z])/).map((word) => word.toLowerCase());
  return `${aggregate}.${words.join('-')}`;
}
