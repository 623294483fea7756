/** Stands for this server, while it is checked that an address does not leave it. */
const HERE = "http://here.invalid";
const MAX_LENGTH = 2000;

/** The page after the sign-in, as a path of this server below the published one; the first page for anything else. */
export function nextPath(given: string | undefined): string {
  if (given === undefined || given.length > MAX_LENGTH || !given.startsWith("/")) return "/";
  const url = URL.parse(given, HERE);
  if (url === null || url.origin !== HERE) return "/";
  const path = url.pathname + url.search + url.hash;
  // Dots are removed only now: what is left may begin like the address of another host.
  return path.startsWith("//") || path.includes("\\") ? "/" : path;
}
