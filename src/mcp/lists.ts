import type { Principal } from '../domain/principal.ts';
import { pageOf } from './pages.ts';
import { cursorOf, type Params } from './params.ts';
import type { Registry } from './registry.ts';

export interface ListParts {
  registry: Registry;
  pageSize: number;
}

type List = (params: Params, principal: Principal) => Record<string, unknown>;

/** The methods that list what an endpoint offers to a principal, a page at a time. */
export function listMethods({ registry, pageSize }: ListParts): ReadonlyMap<string, List> {
  function paged<T>(name: string, all: (principal: Principal) => readonly T[], key: (item: T) => string): List {
    return ({ cursor }, principal) => {
      const { items, nextCursor } = pageOf(all(principal), key, pageSize, cursorOf(cursor));
      return { [name]: items, ...(nextCursor === undefined ? {} : { nextCursor }) };
    };
  }
  const definitions = <T>(entries: readonly { definition: T }[]) => entries.map(({ definition }) => definition);
  return new Map([
    [
      'tools/list',
      paged(
        'tools',
        (who) => definitions(registry.tools(who)),
        ({ name }) => name,
      ),
    ],
    [
      'resources/list',
      paged(
        'resources',
        (who) => registry.resources(who),
        ({ uri }) => uri,
      ),
    ],
    [
      'resources/templates/list',
      paged(
        'resourceTemplates',
        (who) => registry.templates(who),
        (one) => one.uriTemplate,
      ),
    ],
    [
      'prompts/list',
      paged(
        'prompts',
        (who) => definitions(registry.prompts(who)),
        ({ name }) => name,
      ),
    ],
  ]);
}
