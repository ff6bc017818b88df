import { beforeEach, describe, expect, it } from '@jest/globals';
import { JSDOM } from 'jsdom';
import MiniSearch from 'minisearch';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';

/** The script, whose imports the test answers: the DOM of tests has no modules. */
const SCRIPT = readFileSync(new URL('../../assets/docs.js', import.meta.url), 'utf8').replace('import(', 'load(');

const EXAMPLE = (labels: readonly string[]) =>
  `<div class="tabs">${labels.map((label) => `<section data-label="${label}"><pre><code>by ${label}</code></pre></section>`).join('')}</div>`;

const ENTRIES = [
  { id: 0, url: '/docs/limits', page: 'Limits', heading: '', text: 'rates and quotas' },
  { id: 1, url: '/docs/limits#time', page: 'Limits', heading: 'Time limits', text: 'how long a run may take' },
];

let dom: JSDOM;
let copied: string[];

beforeEach(() => {
  copied = [];
  const page = `<html data-base="/docs"><body><header><input id="search"><ol id="results" hidden></ol></header>
<nav class="pages"><details open></details></nav>
<main>${EXAMPLE(['HTTP', 'curl', 'SDK'])}${EXAMPLE(['HTTP', 'curl'])}</main></body></html>`;
  dom = new JSDOM(page, { url: 'http://docs.test/docs', runScripts: 'outside-only' });
  const { window } = dom;
  Object.defineProperty(window.navigator, 'clipboard', {
    value: { writeText: (text: string) => Promise.resolve(void copied.push(text)) },
  });
  Object.assign(window, {
    matchMedia: () => ({ matches: false }),
    load: (path: string) => Promise.resolve(path === '/docs/minisearch.js' ? { default: MiniSearch } : {}),
    fetch: () => Promise.resolve({ json: () => Promise.resolve(ENTRIES) }),
  });
  window.eval(SCRIPT);
});

const all = (selector: string) => [...dom.window.document.querySelectorAll<HTMLElement>(selector)];
const shown = () => all('.tabs section:not([hidden]) code').map(({ textContent }) => textContent);

async function search(words: string): Promise<string[]> {
  const [input] = all('#search');
  const results = dom.window.document.querySelector('#results');
  if (!(input instanceof dom.window.HTMLInputElement) || !results) throw new Error('the page has no search');
  input.value = words;
  const changed = once(new MutationEvents(dom, results), 'changed');
  input.dispatchEvent(new dom.window.Event('input'));
  await changed;
  return all('#results a').map((link) => link.getAttribute('href') ?? '');
}

/** Dispatches `changed` when the children of an element changed. */
class MutationEvents extends EventTarget {
  constructor({ window }: JSDOM, element: Element) {
    super();
    new window.MutationObserver(() => this.dispatchEvent(new Event('changed'))).observe(element, { childList: true });
  }
}

describe('the script of pages', () => {
  it('shows one form of each example, and keeps to the one that was chosen', () => {
    expect(shown()).toEqual(['by HTTP', 'by HTTP']);
    all('.choices button')
      .find(({ textContent }) => textContent === 'curl')
      ?.click();
    expect(shown()).toEqual(['by curl', 'by curl']);
    all('.choices button')
      .find(({ textContent }) => textContent === 'SDK')
      ?.click();
    expect(shown()).toEqual(['by SDK', 'by HTTP']);
    expect(all('[aria-selected="true"]').map(({ textContent }) => textContent)).toEqual(['SDK', 'HTTP']);
  });

  it('copies an example without the text of its button', async () => {
    all('.copy')[1]?.click();
    await setImmediate();
    expect(copied).toEqual(['by curl']);
    expect(all('.copy')[1]?.textContent).toBe('Copied');
  });

  it('lists what the search finds, the best first', async () => {
    expect(await search('tim limit')).toEqual(['/docs/limits#time']);
    expect(await search('quotas')).toEqual(['/docs/limits']);
    expect(await search('nothing of this')).toEqual([]);
    expect(all('#results')[0]?.textContent).toBe('Nothing found');
  });
});
