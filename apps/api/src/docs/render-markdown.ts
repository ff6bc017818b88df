import MarkdownIt from 'markdown-it';
import type { Token } from 'markdown-it';
import { posix } from 'node:path';
import { highlight } from './highlight.ts';
import type { ApiOperation } from './operations.ts';
import type { DocPage, Pages } from './pages.ts';
import { examplesOf } from './request-examples.ts';

/** A heading of a page. */
export interface Heading {
  readonly level: number;
  readonly id: string;
  readonly text: string;
}

/** A page as HTML. */
export interface RenderedPage {
  readonly html: string;
  readonly headings: readonly Heading[];
}

/** What a renderer needs to know of the site. */
interface Site {
  readonly pages: Pages;
  /** The path of the site, such as `/docs`. */
  readonly base: string;
  readonly operations: readonly ApiOperation[];
}

/**
 * Creates the renderer of pages. Headings have the ids that GitHub gives them. Links to other pages lead to their
 * addresses on the site; what the site does not have is text. HTML in Markdown is shown as text.
 */
export function createRenderer({ pages, base, operations }: Site): (page: DocPage) => RenderedPage {
  const markdown = new MarkdownIt({ html: false });
  markdown.renderer.rules.fence = (tokens, at) => {
    const { content, info } = tokens[at] ?? { content: '', info: '' };
    const examples = info.trim() === 'http' ? examplesOf(content, operations) : [];
    if (examples.length === 0) return pre(content, info.trim());
    const tabs = examples.map(
      ({ label, language, text }) => `<section data-label="${label}">${pre(text, language)}</section>`,
    );
    return `<div class="tabs">${tabs.join('')}</div>`;
  };
  markdown.renderer.rules.table_open = () => '<div class="table"><table>\n';
  markdown.renderer.rules.table_close = () => '</table></div>\n';

  return ({ file, markdown: text }) => {
    const tokens = markdown.parse(text.replaceAll(/<!--[^]*?-->\n*/g, ''), {});
    const headings = addIds(tokens);
    for (const { children } of tokens)
      resolveLinks(children ?? [], (target) => addressOf(target, file, { pages, base }));
    return { html: markdown.renderer.render(tokens, markdown.options, {}), headings };
  };
}

function pre(code: string, language: string): string {
  return `<pre><code>${highlight(code, language)}</code></pre>\n`;
}

/** Gives each heading its id. */
function addIds(tokens: readonly Token[]): Heading[] {
  const seen = new Map<string, number>();
  return tokens.flatMap((token, at): Heading[] => {
    if (token.type !== 'heading_open') return [];
    const text = (tokens[at + 1]?.children ?? []).map(({ content }) => content).join('');
    const slug = headingSlug(text);
    const count = seen.get(slug) ?? 0;
    seen.set(slug, count + 1);
    const id = count === 0 ? slug : `${slug}-${count}`;
    token.attrSet('id', id);
    return [{ level: Number(token.tag.slice(1)), id, text }];
  });
}

/** Returns the id of a heading, as GitHub forms it. */
export function headingSlug(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{M}\p{N}_ -]/gu, '')
    .replaceAll(' ', '-');
}

/** Replaces the targets of links and images. A link without an address loses its tags. */
function resolveLinks(tokens: readonly Token[], resolve: (target: string) => string | undefined): void {
  const open: boolean[] = [];
  for (const token of tokens) {
    if (token.type === 'image') token.attrSet('src', resolve(String(token.attrGet('src') ?? '')) ?? '');
    if (token.type === 'link_open') {
      const address = resolve(String(token.attrGet('href') ?? ''));
      open.push(address !== undefined);
      if (address !== undefined) token.attrSet('href', address);
    }
    const isKept = token.type === 'link_close' ? open.pop() : open.at(-1);
    if ((token.type === 'link_open' || token.type === 'link_close') && isKept === false) {
      token.type = 'text';
      token.content = '';
    }
  }
}

/** Returns the address of what a link in a file leads to; undefined for what the site does not have. */
function addressOf(target: string, file: string, { pages, base }: Pick<Site, 'pages' | 'base'>): string | undefined {
  if (/^([a-z]+:|#)/i.test(target)) return target;
  const [path = '', anchor] = decodeURI(target).split('#');
  const found = posix.join(posix.dirname(file), path).replace(/\/$/, '');
  const suffix = anchor === undefined ? '' : `#${anchor}`;
  const page = pages.byFile.get(found) ?? pages.byFile.get(`${found}/README.md`);
  if (page) return `${siteAddress(base, page.slug)}${suffix}`;
  return pages.files.has(found) ? `${base}/${found.replace(/^docs\//, '')}` : undefined;
}

/** Returns the address of a page. */
export function siteAddress(base: string, slug: string): string {
  return slug === '' ? base || '/' : `${base}/${slug}`;
}
