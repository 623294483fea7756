/** The part of a list's request that asks for a page. */
export function pageOf(pageSize: number | undefined, pageToken: string | undefined) {
  return { pageSize, pageToken };
}
