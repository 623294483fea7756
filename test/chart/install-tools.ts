import { installChartTools } from "./chart-tools.ts";

// What the tests of the chart need: node test/chart/install-tools.ts
await installChartTools();
