import { readFile } from "node:fs/promises";

const PAGE = new URL("../../../docs/operate/redis.md", import.meta.url);

/** The arguments of `ACL` for each user of Redis that the page for operators has. Their password is `PASSWORD`. */
export async function redisUsersOfPage(): Promise<readonly (readonly string[])[]> {
  const blocks = [...(await readFile(PAGE, "utf8")).matchAll(/```text\nACL (SETUSER [^`]+)```/g)];
  return blocks.map(([, command = ""]) => command.trim().split(/\s+/));
}
