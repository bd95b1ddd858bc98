// Opens each moment of the book as a reader would, and posts what it saw to check_book.py, as JSON.
"use strict";

(async () => {
  const seen = { moments: [], from: location.protocol }, begun = performance.now();
  const tick = () => new Promise(done => setTimeout(done, 20));
  try {
    const links = [...document.querySelectorAll(".moment a")];
    const press = (link, what) => link.dispatchEvent(what); // false: the book has taken it
    const click = keys => new MouseEvent("click", { bubbles: true, cancelable: true, ...keys });
    const space = () => new KeyboardEvent("keydown", { key: " ", bubbles: true, cancelable: true });
    const isOpen = link => link.getAttribute("aria-expanded") === "true";
    const [first] = links;
    seen.keys = [!press(first, space()) && isOpen(first), !press(first, space()) && !isOpen(first)];
    const stay = event => { // a click that is the browser's leads out of the book
      seen.keys.push(!event.defaultPrevented && !isOpen(first));
      event.preventDefault();
    };
    document.addEventListener("click", stay);
    for (const keys of [{ ctrlKey: true }, { metaKey: true }, { shiftKey: true }])
      press(first, click(keys));
    document.removeEventListener("click", stay);
    if (isOpen(first)) first.click();
    for (const link of links) {
      link.click();
      const frame = link.parentElement.nextElementSibling;
      const of = () => frame.contentWindow && frame.contentWindow.playground;
      while (!of()) await tick();
      await of().ready;
      const run = frame.contentDocument.getElementById("shown").contentDocument;
      seen.moments.push({ address: link.hash.slice(1), expanded: link.getAttribute("aria-expanded"),
        verdict: run.getElementById("verdict").textContent,
        names: [...run.querySelectorAll("h3")].map(name => name.textContent),
        command: frame.contentDocument.getElementById("command").textContent,
        asks: frame.contentDocument.getElementById("ask").getAttribute("aria-pressed"),
        wide: frame.contentDocument.documentElement.scrollWidth - frame.clientWidth });
      link.click();
      seen.moments.at(-1).closed = !frame.isConnected;
    }
    seen.overhang = document.documentElement.scrollWidth - window.innerWidth;
  } catch (error) {
    seen.error = String(error.stack || error);
  }
  seen.seconds = (performance.now() - begun) / 1000;
  fetch("@ANSWER@", { method: "POST", mode: "no-cors", body: JSON.stringify(seen) });
})();
