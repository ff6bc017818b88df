import type { ApiOperation } from './operations.ts';
import { type DocPage, type Pages, workflowFileOf } from './pages.ts';
import { headingSlug, siteAddress } from './render-markdown.ts';

/** A part of a page that the search finds. */
interface SearchEntry {
  readonly id: number;
  /** The address of the part. */
  readonly url: string;
  readonly page: string;
  /** Empty for what stands before the first heading of a page. */
  readonly heading: string;
  readonly text: string;
}

/** The folder of pages that the search finds although the navigation does not list them. */
const ALSO = 'docs/nodes/';
/** A part that only links to other pages. */
const NEXT_STEPS = 'Next steps';

/** What the search finds. */
interface Searched {
  readonly pages: Pages;
  /** The pages of codes. */
  readonly codes: readonly DocPage[];
  readonly operations: readonly ApiOperation[];
  /** The path of the site. */
  readonly base: string;
}

/** Returns what the search finds: parts of pages, from one heading to the next, codes, and operations of the API. */
export function searchEntries({ pages: { byFile, sections }, codes, operations, base }: Searched): SearchEntry[] {
  const listed = new Set(sections.flatMap(({ entries }) => entries.map(({ page }) => page.file)));
  const pages = [...byFile.values()].filter(({ file }) => listed.has(file) || file.startsWith(ALSO));
  return [
    ...pages.flatMap((page) => partsOf(page, base)),
    ...codes.map(({ slug, title, markdown }) => ({
      url: siteAddress(base, slug),
      page: 'Error code',
      heading: title,
      text: plain(markdown.replace(/^# .+\n/, '')),
    })),
    ...operations.map(({ method, path, id, tag, summary }) => ({
      // The viewer opens the operation that the address names.
      url: `${siteAddress(base, 'api')}#/${tag}/${id}`,
      page: 'API',
      heading: `${method} ${path}`,
      text: summary,
    })),
  ].map((entry, id) => ({ id, ...entry }));
}

/** A recipe is one part: all recipes have the same headings. */
function partsOf(page: DocPage, base: string): Omit<SearchEntry, 'id'>[] {
  const { title, slug, markdown } = page;
  const address = siteAddress(base, slug);
  const body = markdown.replace(/^# .+\n/, '');
  const [before = '', ...parts] = workflowFileOf(page) === undefined ? body.split(/^#{2,3} /m) : [body];
  return [
    { url: address, page: title, heading: '', text: plain(before) },
    ...parts.flatMap((part) => {
      const [line = '', ...rest] = part.split('\n');
      if (line === NEXT_STEPS) return [];
      const heading = plain(line);
      return [{ url: `${address}#${headingSlug(heading)}`, page: title, heading, text: plain(rest.join('\n')) }];
    }),
  ];
}

/** Returns the words of Markdown. */
function plain(markdown: string): string {
  return markdown
    .replaceAll(/<!--[^]*?-->/g, '')
    .replaceAll(/\[([^\]]+)\]\([^)]+\)/g, '$1')
    .replaceAll(/^[-:| ]+$|^```.*$|^#+ |[`|]/gm, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();
}
