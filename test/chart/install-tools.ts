import { installChartTools } from "./chart-tools.ts";

// Installs the tools of the chart's tests: node test/chart/install-tools.ts
await installChartTools();
