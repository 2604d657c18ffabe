import type { ServerConfig } from '../../domain/server-config.ts';

/** Whether the configuration of a server lets a tool be offered and called. */
export function allowsTool({ allow, deny = [] }: ServerConfig['tools'], name: string): boolean {
  if (deny.some((pattern) => fits(pattern, name))) return false;
  return allow === undefined || allow.some((pattern) => fits(pattern, name));
}

/** `*` stands for any characters. */
function fits(pattern: string, name: string): boolean {
  const [first = '', ...rest] = pattern.split('*');
  if (rest.length === 0) return pattern === name;
  if (!name.startsWith(first)) return false;
  let from = first.length;
  const last = rest.pop() ?? '';
  for (const part of rest) {
    const at = name.indexOf(part, from);
    if (at === -1) return false;
    from = at + part.length;
  }
  return name.length - last.length >= from && name.endsWith(last);
}
