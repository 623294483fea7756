import { FunctionTool, LlmAgent } from "fairlead/kit";
import { Type } from "typebox";
import { COLOR_NAMES, drawShape, SHAPES } from "./draw-shape.ts";
import { encodePng } from "./encode-png.ts";

const draw = new FunctionTool({
  name: "draw",
  description: "Draws a picture of one shape and saves it for the user to see.",
  parameters: Type.Object({
    shape: Type.Enum([...SHAPES], { description: "What to draw." }),
    color: Type.Enum([...COLOR_NAMES], { description: "Its color.", default: "blue" }),
    size: Type.Optional(Type.Integer({ minimum: 32, maximum: 512, description: "Edge in pixels.", default: 256 })),
  }),
  execute: async ({ shape, color, size = 256 }, context) => {
    const png = encodePng(drawShape(shape, color, size));
    const filename = `${color}-${shape}.png`;
    const version = await context.saveArtifact(filename, {
      inlineData: { mimeType: "image/png", data: png.toString("base64") },
    });
    return { filename, version, report: `A ${color} ${shape} is in ${filename}.` };
  },
});

export const rootAgent = new LlmAgent({
  name: "artist",
  description: "Draws simple pictures.",
  model: "demo/artist",
  instruction: `You are an artist. Call draw once for each shape the user asks for, then say what you drew in one sentence.
You can draw: ${SHAPES.join(", ")}.`,
  tools: [draw],
});
