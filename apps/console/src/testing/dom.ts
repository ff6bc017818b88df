// The DOM of component tests, in place before any module of the console is loaded.
import { JSDOM } from 'jsdom';

/** Built-ins of Node.js whose counterparts the DOM needs: it dispatches no other events, and takes no other files. */
const REPLACED = new Set([
  'Event',
  'EventTarget',
  'CustomEvent',
  'MessageEvent',
  'CloseEvent',
  'navigator',
  'File',
  'Blob',
  'FormData',
]);

const { window } = new JSDOM('<!doctype html><html lang="en"><body></body></html>', {
  url: 'http://console.test/',
  pretendToBeVisual: true,
});

const ignore = (): void => undefined;

/** Nothing has a size without a layout, so there is nothing to observe. */
class NoObserver {
  readonly observe = ignore;
  readonly unobserve = ignore;
  readonly disconnect = ignore;
}

/** What this DOM lacks, as on a screen as large as that of most tests in a browser. */
Object.assign(window, {
  ResizeObserver: NoObserver,
  IntersectionObserver: NoObserver,
  scrollTo: ignore,
  matchMedia: (media: string) => ({
    media,
    matches: media.includes('min-width') || media.includes('prefers-reduced-motion: reduce'),
    addEventListener: ignore,
    removeEventListener: ignore,
  }),
});
Object.assign(window.document, { fonts: { addEventListener: ignore, removeEventListener: ignore } });
/** Every element is a box in the window: what has no place there, such as a list of options, would be hidden. */
Object.defineProperties(window.document.documentElement, {
  clientWidth: { value: 1280 },
  clientHeight: { value: 800 },
});
Object.assign(window.Element.prototype, {
  scrollIntoView: ignore,
  getBoundingClientRect: () => ({ x: 10, y: 10, left: 10, top: 10, width: 100, height: 20, right: 110, bottom: 30 }),
});

// This DOM knows its own signals only, and those of Node.js are what fetch() takes.
const { addEventListener } = window.EventTarget.prototype;
window.EventTarget.prototype.addEventListener = function listen(type, listener, options) {
  if (typeof options !== 'object' || options.signal === undefined) {
    addEventListener.call(this, type, listener, options);
    return;
  }
  const { signal, ...rest } = options;
  addEventListener.call(this, type, listener, rest);
  signal.addEventListener('abort', () => this.removeEventListener(type, listener, rest));
};

for (const [name, property] of Object.entries(Object.getOwnPropertyDescriptors(window))) {
  if (name in globalThis && !REPLACED.has(name)) continue;
  Object.defineProperty(globalThis, name, { ...property, configurable: true });
}
for (const name of ['addEventListener', 'removeEventListener', 'dispatchEvent'] as const) {
  Object.defineProperty(globalThis, name, { value: window[name].bind(window), configurable: true, writable: true });
}
