import { afterAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import MiniSearch from 'minisearch';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';

/** The script of the documentation's pages. The test answers its imports, which are addresses of the instance. */
const SCRIPT = readFileSync(new URL('../../../api/assets/docs.js', import.meta.url), 'utf8').replace(
  'import(',
  'globalThis.load(',
);

const EXAMPLE = (labels: readonly string[]) =>
  `<div class="tabs">${labels.map((label) => `<section data-label="${label}"><pre><code>by ${label}</code></pre></section>`).join('')}</div>`;

const ENTRIES = [
  { id: 0, url: '/docs/limits', page: 'Limits', heading: '', text: 'rates and quotas' },
  { id: 1, url: '/docs/limits#time', page: 'Limits', heading: 'Time limits', text: 'how long a run may take' },
];

let copied: string[];
let count = 0;

/** What tests of other files have as well: the DOM is not theirs alone. */
const { fetch } = globalThis;
const clipboard = Object.getOwnPropertyDescriptor(navigator, 'clipboard');
const listening = jest.spyOn(document, 'addEventListener');
afterAll(() => {
  for (const [type, listener] of listening.mock.calls) document.removeEventListener(type, listener);
  listening.mockRestore();
  document.body.innerHTML = '';
  delete document.documentElement.dataset.base;
  sessionStorage.clear();
  Object.assign(globalThis, { fetch, load: undefined });
  if (clipboard) Object.defineProperty(navigator, 'clipboard', clipboard);
  else Reflect.deleteProperty(navigator, 'clipboard');
});

beforeEach(async () => {
  copied = [];
  document.documentElement.dataset.base = '/docs';
  document.body.innerHTML = `<header><input id="search"><ol id="results" hidden></ol></header>
<nav class="pages"><details open></details></nav>
<article>${EXAMPLE(['HTTP', 'curl', 'SDK'])}${EXAMPLE(['HTTP', 'curl'])}</article>`;
  Object.defineProperty(navigator, 'clipboard', {
    configurable: true,
    value: { writeText: (text: string) => Promise.resolve(void copied.push(text)) },
  });
  Object.assign(globalThis, {
    load: (path: string) => Promise.resolve(path === '/docs/minisearch.js' ? { default: MiniSearch } : {}),
    fetch: () => Promise.resolve({ json: () => Promise.resolve(ENTRIES) }),
  });
  sessionStorage.clear();
  count += 1;
  await import(`data:text/javascript,${encodeURIComponent(SCRIPT)}//${count}`);
});

const all = (selector: string) => [...document.querySelectorAll<HTMLElement>(selector)];
const shown = () => all('.tabs section:not([hidden]) code').map(({ textContent }) => textContent);

async function search(words: string): Promise<string[]> {
  const [input, results] = [...all('#search'), ...all('#results')];
  if (!(input instanceof HTMLInputElement) || !results) throw new Error('the page has no search');
  const changed = new EventTarget();
  const observer = new MutationObserver(() => changed.dispatchEvent(new Event('changed')));
  observer.observe(results, { childList: true });
  input.value = words;
  const listed = once(changed, 'changed');
  input.dispatchEvent(new Event('input'));
  await listed;
  observer.disconnect();
  return all('#results a').map((link) => link.getAttribute('href') ?? '');
}

describe('the script of the documentation', () => {
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
