import { pageOf } from './pages.ts';
import { cursorOf, type Params } from './params.ts';
import type { Caller, Registry } from './registry.ts';

export interface ListParts {
  registry: Registry;
  pageSize: number;
}

type ListCaller = Pick<Caller, 'principal' | 'clientName' | 'origin'>;
type List = (params: Params, caller: ListCaller) => Record<string, unknown>;

/** The methods that list what an endpoint offers to a principal, a page at a time. */
export function listMethods({ registry, pageSize }: ListParts): ReadonlyMap<string, List> {
  function paged<T>(name: string, all: (caller: ListCaller) => readonly T[], key: (item: T) => string): List {
    return ({ cursor }, caller) => {
      const { items, nextCursor } = pageOf(all(caller), key, pageSize, cursorOf(cursor));
      return { [name]: items, ...(nextCursor === undefined ? {} : { nextCursor }) };
    };
  }
  const definitions = <T>(entries: readonly { definition: T }[]) => entries.map(({ definition }) => definition);
  return new Map([
    [
      'tools/list',
      paged(
        'tools',
        ({ principal, clientName, origin }) => definitions(registry.tools(principal, clientName?.(), origin)),
        ({ name }) => name,
      ),
    ],
    [
      'resources/list',
      paged(
        'resources',
        ({ principal }) => registry.resources(principal),
        ({ uri }) => uri,
      ),
    ],
    [
      'resources/templates/list',
      paged(
        'resourceTemplates',
        ({ principal }) => registry.templates(principal),
        (one) => one.uriTemplate,
      ),
    ],
    [
      'prompts/list',
      paged(
        'prompts',
        ({ principal }) => definitions(registry.prompts(principal)),
        ({ name }) => name,
      ),
    ],
  ]);
}
