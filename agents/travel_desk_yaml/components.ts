import type { ComponentRegistry } from "fairlead/definitions";
import { FunctionTool } from "fairlead/kit";
import { Type } from "typebox";

const City = Type.Object({ city: Type.String({ minLength: 1, description: "Name of the city." }) });

const findFlights = new FunctionTool({
  name: "find_flights",
  description: "Finds flights to a city.",
  parameters: City,
  idempotent: true,
  execute: ({ city }) => {
    const price = 80 + city.length * 15;
    return {
      city,
      flight: `AP ${100 + city.length}`,
      price,
      report: `Flight AP ${100 + city.length} to ${city}: ${price} €.`,
    };
  },
});

const findHotels = new FunctionTool({
  name: "find_hotels",
  description: "Finds hotels in a city.",
  parameters: City,
  idempotent: true,
  execute: ({ city }) => {
    const price = 60 + city.length * 5;
    return { city, hotel: `Hotel ${city}`, price, report: `Hotel ${city}: ${price} € a night.` };
  },
});

/** Registers the tools for the definitions of this folder. */
export function registerComponents(registry: ComponentRegistry): void {
  registry.toolInstances.register("find_flights", findFlights).register("find_hotels", findHotels);
}
