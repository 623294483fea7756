import type { CollectionQuery } from "#adapters/firestore/database/firestore-database.ts";
import indexes from "#adapters/firestore/firestore.indexes.json" with { type: "json" };

/**
 * The fields that an index for the query must have, with their order, without the order of documents that every index
 * ends with.
 */
function indexFields({ where = [], orderBy = [] }: CollectionQuery): readonly string[] {
  const isOrdered = (field: string) => orderBy.some(([name]) => name === field);
  // A limit of the ordered field is a part of the index.
  const filtered = where.filter(({ field }) => !isOrdered(field)).map(({ field }) => `${field} ASCENDING`);
  const ordered = orderBy.map(([field, direction]) => `${field} ${direction}`);
  return [...filtered, ...ordered].filter((field) => !field.startsWith("__name__"));
}

/** Whether a deployed index serves the query. */
export function isServed(query: CollectionQuery): boolean {
  const fields = indexFields(query);
  const of = ({ collectionGroup }: { readonly collectionGroup: string }) => collectionGroup === query.collection;
  const scope = query.allDescendants === true ? "COLLECTION_GROUP" : "COLLECTION";
  if (fields.length > 1) {
    const composite = indexes.indexes.filter((index) => of(index) && index.queryScope === scope);
    const named = (field: object) =>
      "order" in field && "fieldPath" in field ? `${field.fieldPath} ${field.order}` : "";
    return composite.some((index) => index.fields.map(named).join() === fields.join());
  }
  const single = indexes.fieldOverrides.filter(of);
  return fields.every((field) =>
    single.some((override) =>
      override.indexes.some(
        ({ order, queryScope }) => queryScope === scope && `${override.fieldPath} ${order}` === field,
      ),
    ),
  );
}
