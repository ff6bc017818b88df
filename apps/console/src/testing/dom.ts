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
  'FormData',
]);

const { window } = new JSDOM('<!doctype html><html lang="en"><body></body></html>', {
  url: 'http://console.test/',
  pretendToBeVisual: true,
});

/** The size of every element, in px. */
const [WIDTH, HEIGHT] = [100, 20];

// As the browsers of tests: their dates are British, and their clocks those of Greenwich.
process.env.TZ = 'UTC';
Object.defineProperty(window.navigator, 'languages', { value: ['en-GB'] });

const ignore = (): void => undefined;

/** Nothing changes its size without a layout: what observes one is told of it once. */
class OneSizeObserver {
  readonly #callback: ResizeObserverCallback;
  readonly #observed = new Set<Element>();
  constructor(callback: ResizeObserverCallback) {
    this.#callback = callback;
  }
  observe(target: Element): void {
    this.#observed.add(target);
    setTimeout(() => {
      if (!this.#observed.has(target)) return;
      const size = { inlineSize: WIDTH, blockSize: HEIGHT };
      const contentRect = target.getBoundingClientRect();
      const entry = {
        target,
        contentRect,
        borderBoxSize: [size],
        contentBoxSize: [size],
        devicePixelContentBoxSize: [],
      };
      this.#callback([entry], this);
    });
  }
  unobserve(target: Element): void {
    this.#observed.delete(target);
  }
  disconnect(): void {
    this.#observed.clear();
  }
}

/** The scale of a transformation, which is all that the canvas reads of it. */
class ScaleOnly {
  readonly m22: number;
  constructor(transform = '') {
    this.m22 = Number(/scale\(([\d.]+)\)/.exec(transform)?.[1] ?? 1);
  }
}

/** Nothing comes into view. */
class NoObserver {
  readonly observe = ignore;
  readonly unobserve = ignore;
  readonly disconnect = ignore;
}

/** What this DOM lacks, as on a screen as large as that of most tests in a browser. */
Object.assign(window, {
  ResizeObserver: OneSizeObserver,
  IntersectionObserver: NoObserver,
  DOMMatrixReadOnly: ScaleOnly,
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
  getBoundingClientRect: () => new window.DOMRect(10, 10, WIDTH, HEIGHT),
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

Object.assign(window.Range.prototype, {
  getBoundingClientRect: () => new window.DOMRect(10, 10, WIDTH, HEIGHT),
  getClientRects: () => [new window.DOMRect(10, 10, WIDTH, HEIGHT)],
});
Object.defineProperties(window.HTMLElement.prototype, {
  offsetWidth: { get: () => WIDTH },
  offsetHeight: { get: () => HEIGHT },
  clientWidth: { get: () => WIDTH },
  clientHeight: { get: () => HEIGHT },
});
Object.assign(window.SVGElement.prototype, { getBBox: () => new window.DOMRect(0, 0, WIDTH, HEIGHT) });

for (const [name, property] of Object.entries(Object.getOwnPropertyDescriptors(window))) {
  if (name in globalThis && !REPLACED.has(name)) continue;
  Object.defineProperty(globalThis, name, { ...property, configurable: true });
}
for (const name of ['addEventListener', 'removeEventListener', 'dispatchEvent'] as const) {
  Object.defineProperty(globalThis, name, { value: window[name].bind(window), configurable: true, writable: true });
}
// As in a browser, so that whoever changes a member of the window changes the global one.
Object.defineProperty(globalThis, 'window', { value: globalThis, configurable: true });
