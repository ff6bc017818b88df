import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join, posix } from 'node:path';

/** A page of the documentation: a Markdown file of the repository. */
export interface DocPage {
  /** Its address below that of the site; empty for the first page. */
  readonly slug: string;
  /** The file, from the root of the repository. */
  readonly file: string;
  readonly title: string;
  readonly markdown: string;
}

/** A page in the navigation. */
interface Entry {
  readonly page: DocPage;
  /** What it is about, in a few words. */
  readonly about: string;
}

/** A part of the navigation. */
export interface Section {
  readonly title: string;
  readonly entries: readonly Entry[];
}

/** All pages, and how readers find them. */
export interface Pages {
  /** By file. */
  readonly byFile: ReadonlyMap<string, DocPage>;
  readonly sections: readonly Section[];
  /** Files that pages show or link to, and that are sent as they are, from the root of the repository. */
  readonly files: ReadonlySet<string>;
}

/** Pages that are elsewhere, and their addresses. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  'CHANGELOG.md': 'changelog',
  'CONTRIBUTING.md': 'contributing',
  'packages/sdk/README.md': 'sdk',
  'examples/patterns/README.md': 'patterns',
};

const HOME = 'docs/README.md';
/** Pages that list others. Each list is a section, after the first one of the first page. */
const LISTS = ['docs/guides/README.md', 'docs/recipes/README.md'];
const RECIPES = 'docs/recipes/';
/** The last section of the first page. Links lead to its pages, and the navigation and the search do not. */
const FOR_CONTRIBUTORS = 'For contributors';

/** Reads the pages below a root. Files that are not there are left out: an image has fewer than the repository. */
export async function readPages(root: string): Promise<Pages> {
  const own = (await readdir(join(root, 'docs'), { recursive: true })).sort().map((name) => `docs/${name}`);
  const elsewhere = Object.keys(ELSEWHERE).filter((file) => existsSync(join(root, file)));
  const pages = await Promise.all(
    [...own.filter((file) => file.endsWith('.md')), ...elsewhere].map(async (file): Promise<[string, DocPage]> => {
      const markdown = await readFile(join(root, file), 'utf8');
      return [file, { slug: ELSEWHERE[file] ?? slugOf(file), file, title: titleOf(markdown), markdown }];
    }),
  );
  const byFile = new Map(pages);
  const files = new Set(own.filter((file) => /\.(png|svg|json)$/.test(file)));
  return { byFile, sections: readSections(byFile), files };
}

function slugOf(file: string): string {
  return file.replace(/^docs\//, '').replace(/(^|\/)README\.md$|\.md$/, '');
}

function titleOf(markdown: string): string {
  return (/^# (.+)$/m.exec(markdown)?.[1] ?? '').replaceAll('`', '');
}

/**
 * Returns the workflow of a recipe as a file for the command line: the YAML of its page, the workflow and then its
 * tests. @returns undefined for any other page.
 */
export function workflowFileOf({ file, markdown }: Pick<DocPage, 'file' | 'markdown'>): string | undefined {
  if (!file.startsWith(RECIPES)) return undefined;
  const parts = [...markdown.matchAll(/^```yaml\n([^]*?)^```$/gm)].map(([, yaml = '']) => yaml);
  return parts.length === 0 ? undefined : parts.join('');
}

/** The navigation is what the first page and the lists of guides and recipes have, in their order. */
function readSections(byFile: ReadonlyMap<string, DocPage>): Section[] {
  const home = byFile.get(HOME);
  if (!home) return [];
  const [start, ...others] = home.markdown
    .split(/^## /m)
    .slice(1)
    .map((part) => ({ title: part.split('\n')[0] ?? '', entries: entriesOf(part, home, byFile) }));
  const lists = LISTS.flatMap((file) => byFile.get(file) ?? []).map((list) => ({
    title: list.title,
    entries: entriesOf(list.markdown, list, byFile),
  }));
  const sections = [...(start ? [start] : []), ...lists, ...others];
  return sections.filter(({ title, entries }) => title !== FOR_CONTRIBUTORS && entries.length > 0);
}

/** Returns the pages that the rows of a table link to. The other cell says what a page is about. */
function entriesOf(markdown: string, { file }: DocPage, byFile: ReadonlyMap<string, DocPage>): Entry[] {
  return [...markdown.matchAll(/^\| (.+) \| (.+) \|$/gm)].flatMap(([, first = '', second = '']) => {
    const [cell, other] = first.startsWith('[') ? [first, second] : [second, first];
    const [, target = ''] = /^\[[^\]]+\]\(([^)#]+)/.exec(cell) ?? [];
    const page = byFile.get(posix.join(posix.dirname(file), target));
    return page ? [{ page, about: other.replaceAll(/\[([^\]]+)\]\([^)]+\)/g, '$1') }] : [];
  });
}
