// What pages of the documentation do in a browser: choose between forms of an example, copy, and search. All of it
// comes from the instance. Without this script, pages show everything.

const CHOICE = 'docs.example';
const MAX_RESULTS = 12;
const base = document.documentElement.dataset.base ?? '';

/** Creates an element with text. */
function create(name, properties, text = '') {
  const element = Object.assign(document.createElement(name), properties);
  element.textContent = text;
  return element;
}

/** Shows one form of every example that has it, and its first one of the others. */
function choose(label) {
  for (const tabs of document.querySelectorAll('.tabs')) {
    const sections = [...tabs.querySelectorAll('section')];
    const shown = sections.find(({ dataset }) => dataset.label === label) ?? sections[0];
    for (const section of sections) section.hidden = section !== shown;
    for (const button of tabs.querySelectorAll('.choices button')) {
      button.setAttribute('aria-selected', String(button.textContent === shown?.dataset.label));
    }
  }
}

function addTabs() {
  for (const tabs of document.querySelectorAll('.tabs')) {
    const choices = create('div', { className: 'choices', role: 'tablist' });
    for (const { dataset } of tabs.querySelectorAll('section')) {
      const button = create('button', { type: 'button', role: 'tab' }, dataset.label);
      button.addEventListener('click', () => {
        sessionStorage.setItem(CHOICE, dataset.label ?? '');
        choose(dataset.label);
      });
      choices.append(button);
    }
    tabs.classList.add('chosen');
    tabs.prepend(choices);
  }
  choose(sessionStorage.getItem(CHOICE) ?? undefined);
}

/** Copying needs a secure context: https, or this machine. Elsewhere there are no buttons. */
function addCopyButtons() {
  if (navigator.clipboard === undefined) return;
  for (const pre of document.querySelectorAll('article pre')) {
    const button = create('button', { type: 'button', className: 'copy' }, 'Copy');
    const text = pre.textContent ?? '';
    button.addEventListener('click', async () => {
      await navigator.clipboard.writeText(text);
      button.textContent = 'Copied';
    });
    const frame = create('div', { className: 'copied' });
    pre.replaceWith(frame);
    frame.append(pre, button);
  }
}

/** Copies the page as Markdown, to paste it elsewhere, such as into a chat with a model. */
function addPageCopy() {
  const link = document.querySelector('.source a[href$=".md"]');
  if (!link || navigator.clipboard === undefined) return;
  const button = create('button', { type: 'button', className: 'copy-page' }, 'Copy');
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(await (await fetch(link.href)).text());
    button.textContent = 'Copied';
  });
  link.after(' ', button);
}

/** So that "retry" finds "retries". */
const singular = (term) =>
  term
    .toLowerCase()
    .replace(/ies$/, 'y')
    .replace(/(?<=..[^s])s$/, '');

/** Loads the parts of pages, once. */
let loading;
function loadIndex() {
  loading ??= (async () => {
    const [{ default: MiniSearch }, response] = await Promise.all([
      import(`${base}/minisearch.js`),
      fetch(`${base}/search.json`),
    ]);
    const index = new MiniSearch({
      fields: ['heading', 'page', 'text'],
      storeFields: ['url', 'page', 'heading', 'text'],
      processTerm: singular,
    });
    index.addAll(await response.json());
    return index;
  })();
  return loading;
}

function toItem({ url, page, heading, text }) {
  const item = document.createElement('li');
  const link = create('a', { href: url }, heading === '' ? page : `${page} › ${heading}`);
  link.append(create('small', {}, text.slice(0, 160)));
  item.append(link);
  return item;
}

function addSearch() {
  const input = document.querySelector('#search');
  const results = document.querySelector('#results');
  input.addEventListener('focus', () => void loadIndex());
  input.addEventListener('input', async () => {
    const index = await loadIndex();
    const options = { boost: { heading: 4, page: 3 }, prefix: true, fuzzy: 0.15 };
    // What was typed meanwhile counts. Parts with all of the words come before those with some.
    const complete = index.search(input.value, { ...options, combineWith: 'AND' });
    const found = (complete.length > 0 ? complete : index.search(input.value, options)).slice(0, MAX_RESULTS);
    const items = found.length > 0 ? found.map(toItem) : [create('li', {}, 'Nothing found')];
    results.replaceChildren(...items);
    results.hidden = input.value.trim() === '';
  });
  input.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') results.hidden = true;
    if (event.key === 'Enter') results.querySelector('a')?.click();
  });
  document.addEventListener('keydown', (event) => {
    if (event.key !== '/' || /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName)) return;
    event.preventDefault();
    input.focus();
  });
}

addTabs();
addCopyButtons();
addPageCopy();
addSearch();
// On a small screen, the list of pages is closed at first.
if (matchMedia('(width < 48rem)').matches) document.querySelector('.all')?.removeAttribute('open');
