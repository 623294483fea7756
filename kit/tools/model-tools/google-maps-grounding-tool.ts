import { isGemini2OrNewer, ModelTool } from "#kit/core/model-tool.ts";

/** Lets the model look places up in Google Maps. */
export class GoogleMapsGroundingTool extends ModelTool {
  constructor(options: { readonly anyModel?: boolean } = {}) {
    super({
      name: "google_maps",
      description: "Looks places up in Google Maps.",
      declaration: { googleMaps: {} },
      supports: isGemini2OrNewer,
      supported: "a Gemini model from 2 on",
      ...options,
    });
  }
}
