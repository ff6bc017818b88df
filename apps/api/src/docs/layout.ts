import { escapeHtml } from './highlight.ts';
import type { DocPage, Section } from './pages.ts';
import { type Heading, siteAddress } from './render-markdown.ts';

/** What a page shows around its content. */
export interface Frame {
  /** The path of the site. */
  readonly base: string;
  readonly version: string;
  /** Whether the site has the page of the API. */
  readonly hasApi: boolean;
  readonly sections: readonly Section[];
}

/** A page in its frame. */
interface Content {
  readonly title: string;
  readonly slug: string;
  readonly html: string;
  readonly headings?: readonly Heading[];
  /** Further elements of the head. */
  readonly head?: string;
  /** The page in other forms, below the path of the site: as Markdown first. */
  readonly forms?: readonly { readonly name: string; readonly path: string }[];
}

/** A section with more pages is closed, except while one of them is read. */
const MAX_OPEN = 15;

/** Returns a page as a document. It has no script and no style of its own: the policy of the site allows neither. */
export function layout({ base, version, hasApi, sections }: Frame, content: Content): string {
  const { title, slug, html, headings = [], head = '', forms = [] } = content;
  const source = forms[0] && `${base}/${forms[0].path}`;
  const links = forms.map(({ name, path }) => `<a href="${base}/${path}">${name}</a>`);
  return `<!doctype html>
<html lang="en" data-base="${base}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)} · Deckhand ${version}</title>
${head}<link rel="icon" href="data:,">
<link rel="stylesheet" href="${base}/docs.css">
${source === undefined ? '' : `<link rel="alternate" type="text/markdown" href="${source}">\n`}<script type="module" src="${base}/docs.js"></script>
</head>
<body>
<a class="skip" href="#content">Skip to content</a>
<header>
<a class="home" href="${siteAddress(base, '')}">Deckhand</a> <span class="version">${version}</span>
<search><input id="search" type="search" placeholder="Search" aria-label="Search the documentation" autocomplete="off"><ol id="results" hidden></ol></search>
${hasApi ? `<a href="${base}/api">API reference</a>\n` : ''}</header>
<div class="columns">
<nav class="pages" aria-label="Pages">
<details class="all" open><summary>Pages</summary>
${sections.map((section) => navigation(section, slug, base)).join('\n')}
</details>
</nav>
<main id="content">
${source === undefined ? html : `<article>\n${html}</article>\n${neighbors(sections, slug, base)}`}${source === undefined ? '' : `<p class="source">${links.join(' · ')}</p>`}
</main>
${contents(headings)}
</div>
</body>
</html>
`;
}

function navigation({ title, entries }: Section, current: string, base: string): string {
  const items = entries.map(({ page: { slug, title: name } }) => {
    const mark = slug === current ? ' aria-current="page"' : '';
    return `<li><a href="${siteAddress(base, slug)}"${mark}>${escapeHtml(name)}</a></li>`;
  });
  const isOpen = entries.length <= MAX_OPEN || entries.some(({ page: { slug } }) => slug === current);
  return `<details${isOpen ? ' open' : ''}><summary>${escapeHtml(title)}</summary>\n<ul>${items.join('')}</ul></details>`;
}

/** Returns links to the pages before and after one in the navigation; nothing for a page that it does not list. */
function neighbors(sections: readonly Section[], current: string, base: string): string {
  const pages = [...new Map(sections.flatMap(({ entries }) => entries.map(({ page }) => [page.slug, page]))).values()];
  const at = pages.findIndex(({ slug }) => slug === current);
  if (at === -1) return '';
  const link = (page: DocPage | undefined, rel: string, mark: string): string =>
    page ? `<a rel="${rel}" href="${siteAddress(base, page.slug)}">${mark}: ${escapeHtml(page.title)}</a>` : '';
  const links = [link(pages[at - 1], 'prev', 'Previous'), link(pages[at + 1], 'next', 'Next')];
  return `<nav class="neighbors" aria-label="Neighboring pages">${links.join('')}</nav>\n`;
}

/** The headings of a page, if it has several. */
function contents(headings: readonly Heading[]): string {
  const shown = headings.filter(({ level }) => level === 2 || level === 3);
  if (shown.length < 2) return '';
  const items = shown.map(
    ({ level, id, text }) => `<li class="level-${level}"><a href="#${id}">${escapeHtml(text)}</a></li>`,
  );
  return `<nav class="contents" aria-label="On this page"><h2>On this page</h2><ul>${items.join('')}</ul></nav>`;
}
