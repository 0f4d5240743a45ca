import { render } from "preact";
import { App } from "./App";
import type { PageData } from "./data";
import { warmUp } from "./layout";
import "./style.css";

warmUp();
const data = JSON.parse(document.getElementById("data")!.textContent!) as PageData;
const place = document.getElementById("page")!;
place.textContent = "";
if (data.networks.length) render(<App data={data} />, place);
else place.textContent = "There is no network to show.";
