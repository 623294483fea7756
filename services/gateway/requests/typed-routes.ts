import type { FastifyPluginAsync, FastifyPluginOptions, FastifyTypeProvider, RawServerDefault } from "fastify";
import type { Shape } from "#kit/schema/shape.ts";

/** Gives handlers the types of the shapes that their routes are described by. */
export interface ShapeTypeProvider extends FastifyTypeProvider {
  validator: this["schema"] extends Shape<infer Value> ? Value : unknown;
  serializer: this["schema"] extends Shape<infer Value> ? Value : unknown;
}

export type TypedRoutes = FastifyPluginAsync<FastifyPluginOptions, RawServerDefault, ShapeTypeProvider>;
