import { send, show } from "./requests.js";

const form = document.querySelector("[data-sign-in]");
const problem = form.querySelector(".problem");

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  problem.hidden = true;
  try {
    await send("POST", "/sign-in", { token: form.elements.token.value });
    location.reload();
  } catch (error) {
    show(problem, error);
    form.elements.token.select();
  }
});
