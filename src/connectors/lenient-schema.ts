import { z } from 'zod';

/** What others have written is read leniently: a field of the wrong type counts as missing. */
export function lenient<Schema extends z.ZodType>(schema: Schema) {
  return schema.optional().catch(undefined);
}

/** Entries that are not as expected are left out; so are those beyond a number that no client sends. */
export function lenientList<Item extends z.ZodType>(item: Item, most: number) {
  return z
    .array(z.unknown())
    .transform((items) =>
      items.slice(0, most).flatMap((each): z.output<Item>[] => {
        const { success, data } = item.safeParse(each);
        return success ? [data] : [];
      }),
    )
    .catch([]);
}
