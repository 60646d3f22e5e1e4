(() => {
  const figure = document.currentScript.closest("figure");
  const { tags, frames, alts, texts } = JSON.parse(
    figure.querySelector('script[type="application/json"]').textContent,
  );
  const start = figure.querySelector(".start");
  const dials = [...figure.querySelectorAll(".dial")];
  const inputs = dials.map((dial) => dial.querySelector("input"));

  // The start stays beside it, for print.
  const moved = start.cloneNode(false);
  moved.setAttribute("class", "moved");
  start.after(moved);
  const spoken = document.createElement("span");
  spoken.className = "spoken";
  spoken.setAttribute("role", "status");
  figure.append(spoken);

  const draw = () => {
    const stops = inputs.map((input) => input.valueAsNumber);
    const frame = stops.reduce((before, stop, i) => before * texts[i].length + stop, 0);
    moved.innerHTML = frames[frame].map((tag) => tags[tag]).join("");
    stops.forEach((stop, i) => {
      inputs[i].setAttribute("aria-valuetext", texts[i][stop]);
      dials[i].querySelector("output").textContent = texts[i][stop];
    });
    if (alts.length > 1) {
      moved.setAttribute("aria-label", alts[frame]);
      spoken.textContent = alts[frame];
    }
  };

  dials.forEach((dial, i) => {
    const input = inputs[i];
    const play = dial.querySelector("[data-play]");
    const label = play?.textContent;
    let timer = 0;
    const go = (stop) => {
      input.value = stop;
      draw();
    };
    const pause = () => {
      clearInterval(timer);
      timer = 0;
      if (play) play.textContent = label;
    };
    input.addEventListener("input", () => {
      pause();
      draw();
    });
    for (const button of dial.querySelectorAll("[data-step]")) {
      button.addEventListener("click", () => {
        pause();
        go(input.valueAsNumber + Number(button.dataset.step));
      });
    }
    play?.addEventListener("click", () => {
      if (timer) return pause();
      const last = texts[i].length - 1;
      if (input.valueAsNumber === last) go(0);
      play.textContent = play.dataset.pause;
      timer = setInterval(() => {
        go(input.valueAsNumber + 1);
        if (input.valueAsNumber === last || !figure.isConnected) pause();
      }, 800);
    });
  });

  draw();
  spoken.textContent = "";
  figure.querySelector(".dials").hidden = false;
  figure.classList.add("moving");
})();
