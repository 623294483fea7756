import { createApp } from "fairlead/adk";
import { LlmAgent } from "fairlead/kit";
import { ComputerUseToolset, PlaywrightComputer } from "fairlead/tools";
import { FormModel } from "./form-model.ts";
import { openFormPage } from "./form-page.ts";

const page = await openFormPage();

const computer = new PlaywrightComputer({
  // Browsers reach no other address of this machine.
  allowedHosts: [page.host],
  // Chromium refuses to start as root with its sandbox.
  sandbox: process.getuid?.() !== 0,
});

const rootAgent = new LlmAgent({
  name: "form_filler",
  description: "Fills in a form in a browser, and asks before it sends it.",
  model: new FormModel(),
  instruction: `You register visitors for a tour. The form is at http://${page.host}/ and has the fields name and seats.`,
  tools: [new ComputerUseToolset(computer, undefined, { anyModel: true })],
});

export const app = createApp({ name: "form_filler", rootAgent, plugins: [page] });
