import type { FastifyReply, FastifyRequest } from "fastify";

/**
 * Redirects a page's address with a slash at its end to the one without. The location is relative, so that it is right
 * below every prefix.
 */
export function redirectSlash(page: string, { url }: Pick<FastifyRequest, "url">, reply: FastifyReply): FastifyReply {
  const query = url.indexOf("?");
  return reply.redirect(`../${page}${query < 0 ? "" : url.slice(query)}`, 302);
}
