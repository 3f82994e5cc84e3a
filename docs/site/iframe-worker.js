// Lets the search work when the site is opened from a folder: browsers start no Worker for file:// pages.
// The worker's script runs in a hidden frame instead, and messages are passed as events.
if (location.protocol === "file:") {
  window.IFrameWorker = class extends EventTarget {
    constructor(url) {
      super();
      this.waiting = [];
      const frame = document.createElement("iframe");
      frame.hidden = true;
      frame.srcdoc = `<script>
        const owner = parent.IFrameWorker.last;
        const postMessage = (data) => owner.dispatchEvent(new MessageEvent("message", { data }));
        const importScripts = (...urls) => urls.reduce((before, url) => before.then(() => new Promise((done) => {
          const script = document.createElement("script");
          script.src = url;
          script.onload = done;
          document.head.append(script);
        })), Promise.resolve());
      </scr` + `ipt><script src="${url}"></scr` + `ipt>`;
      frame.onload = () => {
        this.target = frame.contentWindow;
        this.waiting.splice(0).forEach((data) => this.postMessage(data));
      };
      window.IFrameWorker.last = this;
      document.body.append(frame);
    }
    postMessage(data) {
      if (this.target) this.target.dispatchEvent(new MessageEvent("message", { data }));
      else this.waiting.push(data);
    }
    terminate() {}
  };
  window.Worker = window.IFrameWorker;
}
