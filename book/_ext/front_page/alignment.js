(() => {
  const figure = document.currentScript.closest("figure");
  const { written, spoken } = JSON.parse(
    figure.querySelector('script[type="application/json"]').textContent,
  );
  const rows = [...figure.querySelectorAll(".row")];
  const lights = [...figure.querySelectorAll(".lights rect")];
  const slider = figure.querySelector("input");
  const play = figure.querySelector("[data-play]");
  const label = play.textContent;
  const soFar = figure.querySelector(".so-far");
  let timer = 0;

  // After the last token stands the whole map.
  const show = (step) => {
    slider.value = step;
    slider.setAttribute("aria-valuetext", spoken[step]);
    soFar.textContent = written[step];
    rows.forEach((row, i) => {
      row.classList.toggle("before", i < step && step < rows.length);
      row.classList.toggle("now", i === step);
      row.classList.toggle("later", i > step);
    });
    const weights = rows[step]?.dataset.weights.split(" ") ?? [];
    lights.forEach((light, i) => (light.style.opacity = 0.75 * (weights[i] ?? 0)));
  };
  const pause = () => {
    clearInterval(timer);
    timer = 0;
    play.textContent = label;
  };
  const start = () => {
    if (slider.valueAsNumber === rows.length) show(0);
    play.textContent = play.dataset.pause;
    timer = setInterval(() => {
      show(slider.valueAsNumber + 1);
      if (slider.valueAsNumber === rows.length) pause();
    }, 1100);
  };

  play.addEventListener("click", () => (timer ? pause() : start()));
  slider.addEventListener("input", () => {
    pause();
    seen.disconnect();
    show(slider.valueAsNumber);
  });
  // It plays once by itself, when it is in sight and the reader's system allows movement.
  const seen = new IntersectionObserver(
    ([{ isIntersecting }]) => {
      if (!isIntersecting || matchMedia("(prefers-reduced-motion: reduce)").matches) return;
      seen.disconnect();
      if (!timer) start();
    },
    { threshold: 0.7 },
  );
  play.addEventListener("click", () => seen.disconnect());
  show(rows.length);
  figure.querySelector(".dials").hidden = false;
  seen.observe(figure.querySelector("svg"));
})();
