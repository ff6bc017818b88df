import { parseOwnJson } from '@deckhand/contracts';
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { errorPages } from './error-pages.ts';
import { keepResult } from './keep-result.ts';
import { type Frame, layout } from './layout.ts';
import { type OpenApiPaths, operationsOf } from './operations.ts';
import { type DocPage, type Pages, readPages, workflowFileOf } from './pages.ts';
import { createRenderer, siteAddress } from './render-markdown.ts';
import { searchEntries } from './search-entries.ts';

/** A file of the site. */
export interface SiteFile {
  readonly body: Buffer;
  readonly type: string;
  /** Names the content. */
  readonly etag: string;
  /** Returns the body as gzip compresses it, which it is once. */
  gzipped(): Promise<Buffer>;
}

/** The site about this version. */
export interface DocsSite {
  /** The paths of its files, below that of the site; of the first page, the empty one. */
  readonly paths: readonly string[];
  /** Returns a file, which is made when it is asked for; undefined if the site does not have it. */
  read(path: string): Promise<SiteFile | undefined>;
  /** Returns a page that is not a file of Markdown, in the frame of the site. @param head elements of its head. */
  frame(page: { readonly title: string; readonly slug: string; readonly html: string; readonly head: string }): string;
}

/** What the site is about. */
export interface SiteOptions {
  /** The folder of the repository, or of an image. */
  readonly root: string;
  /** The path of the site, such as `/docs`. */
  readonly base: string;
  readonly version: string;
  /** Whether an instance serves the site: it has a page of the API at `api`. Static files do not. */
  readonly hasApi: boolean;
}

const compress = promisify(gzip);
const ASSETS = fileURLToPath(new URL('../../assets/', import.meta.url));
/** The accepted document. Examples call its operations. */
const OPENAPI = 'docs/openapi.json';
const TYPES: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  json: 'application/json; charset=utf-8',
  md: 'text/markdown; charset=utf-8',
  png: 'image/png',
  svg: 'image/svg+xml',
  txt: 'text/plain; charset=utf-8',
  yaml: 'application/yaml; charset=utf-8',
};

/**
 * Opens the documentation as a site. Pages are read at once, and rendered when they are asked for, each once. Paths are
 * names in a list, so none leads to another file.
 */
export async function openSite({ root, base, version, hasApi }: SiteOptions): Promise<DocsSite> {
  const pages = await readPages(root);
  const frame: Frame = { base, version, hasApi, sections: pages.sections };
  const operations = operationsOf(parseOwnJson<OpenApiPaths>(await readFile(join(root, OPENAPI), 'utf8')));
  const render = createRenderer({ pages, base, operations });
  const codes = errorPages();
  const sources = new Map<string, () => string | Promise<Buffer>>([
    ['docs.css', () => readFile(join(ASSETS, 'docs.css'))],
    ['docs.js', () => readFile(join(ASSETS, 'docs.js'))],
    ['minisearch.js', () => readFile(fileURLToPath(import.meta.resolve('minisearch')))],
    ['search.json', () => JSON.stringify(searchEntries({ pages, codes, operations: hasApi ? operations : [], base }))],
    ['llms.txt', () => llmsText(pages, { base, hasApi })],
  ]);
  for (const file of pages.files) sources.set(file.replace(/^docs\//, ''), () => readFile(join(root, file)));
  for (const page of [...pages.byFile.values(), ...codes]) {
    const workflow = workflowFileOf(page);
    const forms = [
      { name: 'This page as Markdown', path: markdownPath(page) },
      ...(workflow === undefined ? [] : [{ name: 'The workflow as a file', path: `${page.slug}.yaml` }]),
    ];
    sources.set(markdownPath(page), () => page.markdown);
    if (workflow !== undefined) sources.set(`${page.slug}.yaml`, () => workflow);
    sources.set(page.slug, () => layout(frame, { ...page, ...render(page), forms }));
  }
  const files = new Map(
    [...sources].map(([path, source]): [string, () => Promise<SiteFile>] => [
      path,
      keepResult(() => make(path, source)),
    ]),
  );

  return {
    paths: [...files.keys()],
    read: async (path) => files.get(path)?.(),
    frame: (page) => layout(frame, page),
  };
}

async function make(path: string, source: () => string | Promise<Buffer>): Promise<SiteFile> {
  const content = await source();
  const body = typeof content === 'string' ? Buffer.from(content) : content;
  const type = TYPES[path.split('.').at(-1) ?? ''] ?? TYPES.html ?? '';
  const etag = `"${createHash('sha256').update(body).digest('hex').slice(0, 32)}"`;
  return { body, type, etag, gzipped: keepResult(() => compress(body)) };
}

/** The path of a page as Markdown: links between these lead on, as they do in the repository. */
function markdownPath({ slug, file }: DocPage): string {
  return file.startsWith('docs/') ? file.slice('docs/'.length) : `${slug}.md`;
}

/** Returns the index for language models (https://llmstxt.org): the pages as Markdown, with what each is about. */
function llmsText({ sections }: Pages, { base, hasApi }: Pick<SiteOptions, 'base' | 'hasApi'>): string {
  const api = ` The OpenAPI document is at \`/api/openapi.json\`, and as a page at ${siteAddress(base, 'api')}.`;
  const parts = sections.map(({ title, entries }) => {
    const links = entries.map(({ page, about }) => `- [${page.title}](${base}/${markdownPath(page)}): ${about}`);
    return `## ${title}\n\n${links.join('\n')}`;
  });
  return [
    '# Deckhand',
    '> Workflow automation: code and webhooks start workflows, a fleet of workers runs them.',
    `Each page exists as Markdown: its address with \`.md\`.${hasApi ? api : ''}`,
    ...parts,
  ]
    .join('\n\n')
    .concat('\n');
}
