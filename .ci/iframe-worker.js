/* The search of the site runs in a worker, which browsers refuse to pages that are opened from the disk.
   There a frame stands in for it: its script is the worker's, and messages pass as they would. The theme looks for the name. */
if (location.protocol === "file:") {
  window.IFrameWorker = class extends EventTarget {
    #waiting = [];
    #scope = null;

    constructor(url) {
      super();
      const frame = document.createElement("iframe");
      frame.hidden = true;
      frame.title = "search";
      document.body.appendChild(frame);
      const scope = frame.contentWindow;
      scope.postMessage = data => this.dispatchEvent(new MessageEvent("message", { data }));
      scope.importScripts = (...urls) => Promise.all(urls.map(each => load(scope, each)));
      load(scope, url).then(() => {
        this.#scope = scope;
        this.#waiting.splice(0).forEach(data => this.postMessage(data));
      });
    }

    postMessage(data) {
      if (this.#scope) {
        this.#scope.dispatchEvent(new MessageEvent("message", { data }));
      } else {
        this.#waiting.push(data);
      }
    }

    terminate() {}
  };
  window.Worker = window.IFrameWorker;
}

function load(scope, url) {
  return new Promise((resolve, reject) => {
    const script = scope.document.createElement("script");
    script.src = url;
    script.onload = resolve;
    script.onerror = reject;
    scope.document.body.appendChild(script);
  });
}
