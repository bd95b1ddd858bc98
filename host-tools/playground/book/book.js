// Moments: a click opens the playground below the link, in a frame, at what the link names. The
// playground is in this file; where it is not, the link leads to the file beside this one. There it
// leads with Ctrl and the like and by the middle button, too, as any link does.
"use strict";

(function () {
  const playground = JSON.parse(document.getElementById("playground").textContent);
  if (!playground) return;

  function open(link) {
    const frame = document.createElement("iframe");
    frame.className = "playground";
    frame.title = link.textContent;
    frame.name = link.hash; // which the playground takes for its address
    frame.srcdoc = playground;
    link.parentElement.after(frame);
    return frame;
  }

  for (const link of document.querySelectorAll(".moment a")) {
    let frame = null;
    link.setAttribute("role", "button");
    link.setAttribute("aria-expanded", "false");
    link.addEventListener("click", event => {
      if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
      event.preventDefault();
      if (frame) frame.remove();
      frame = frame ? null : open(link);
      link.setAttribute("aria-expanded", Boolean(frame));
    });
    link.addEventListener("keydown", event => { // a button's key; Enter is a link's, too
      if (event.key !== " ") return;
      event.preventDefault();
      if (!event.repeat) link.click();
    });
  }
})();
