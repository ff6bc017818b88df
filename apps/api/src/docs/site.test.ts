import { describe, expect, it } from '@jest/globals';
import { ERRORS, NODE_ERRORS, RUN_ERRORS, WARNINGS } from '@deckhand/contracts';
import MiniSearch from 'minisearch';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { type DocsSite, openSite, type SiteFile } from './site.ts';

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));
const BASE = '/docs';

interface ReadSite {
  readonly site: DocsSite;
  readonly files: ReadonlyMap<string, SiteFile>;
}

/** Opens the site, and reads all its files. */
async function readSite(hasApi: boolean): Promise<ReadSite> {
  const opened = await openSite({ root: ROOT, base: BASE, version: '1.2.3', hasApi });
  const read = new Map<string, SiteFile>();
  for (const path of opened.paths) {
    const file = await opened.read(path);
    if (file) read.set(path, file);
  }
  return { site: opened, files: read };
}

const { site, files } = await readSite(true);
const { files: staticFiles } = await readSite(false);

const textOf = (path: string, among = files): string => among.get(path)?.body.toString() ?? '';
const pages = (among = files): [string, string][] =>
  [...among].flatMap(([path, { type, body }]) => (type.startsWith('text/html') ? [[path, body.toString()]] : []));

/** Returns the links of pages to what is not among the files. */
function brokenLinks(among: ReadonlyMap<string, SiteFile>): string[] {
  const ids = new Map(
    pages(among).map(([path, html]) => [path, new Set([...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id))]),
  );
  return pages(among).flatMap(([path, html]) =>
    [...html.matchAll(/(?:href|src)="([^":]+)"/g)]
      .map(([, address = '']) => address)
      .filter((address) => {
        const [page = '', anchor] = address.split('#');
        const target = page === '' ? path : page.slice(BASE.length + 1);
        const isThere = among.has(target) && (page === '' || `${page}/`.startsWith(`${BASE}/`));
        return !isThere || (anchor !== undefined && ids.get(target)?.has(decodeURIComponent(anchor)) !== true);
      })
      .map((address) => `${path}: ${address}`),
  );
}

describe('the documentation as a site', () => {
  it('has no link to a page, a heading or a file that it lacks', () => {
    expect(pages().length).toBeGreaterThan(100);
    // The server adds the page of the API.
    expect(brokenLinks(files)).toEqual(pages().map(([path]) => `${path}: ${BASE}/api`));
  });

  it('has no link to the page of the API as static files', () => {
    expect([...staticFiles.keys()]).toEqual([...files.keys()]);
    expect(brokenLinks(staticFiles)).toEqual([]);
    for (const path of ['search.json', 'llms.txt']) {
      expect(textOf(path)).toContain(`${BASE}/api`);
      expect(textOf(path, staticFiles)).not.toMatch(/\/docs\/api[#.]/);
    }
  });

  it('has no script and no style in its pages, and says which version they are about', () => {
    for (const [, html] of pages()) {
      expect(html).not.toMatch(/<script(?![^>]*\ssrc=)|<style|\sstyle=|\son\w+="/);
      expect(html).toContain('<span class="version">1.2.3</span>');
    }
  });

  it('has a page for each code of errors', () => {
    for (const code of [ERRORS, RUN_ERRORS, NODE_ERRORS].flatMap((catalogue) => Object.keys(catalogue))) {
      expect(textOf(`errors/${code}`)).toContain(`<code>${code}</code>`);
    }
    expect(textOf('errors/OUTPUT_GONE')).toMatch(/410: .*Of a run/s);
  });

  it('has the part of a page that each warning about a definition names', () => {
    for (const code of Object.keys(WARNINGS)) expect(textOf('warnings')).toContain(` id="${code.toLowerCase()}"`);
  });

  it('has the workflow of each recipe as a file, to which its page links', () => {
    const recipes = pages().filter(([path]) => path.startsWith('recipes/'));
    expect(recipes.length).toBeGreaterThan(0);
    for (const [path, html] of recipes) {
      expect(textOf(`${path}.yaml`)).toMatch(/^slug: .+\n[^]*\ntests:\n/);
      expect(html).toContain(`<a href="${BASE}/${path}.yaml">The workflow as a file</a>`);
    }
    expect(files.has('workflows-as-code.yaml')).toBe(false);
  });

  it('lists pages for users, and neither decisions nor pages for contributors', () => {
    const [, navigation = ''] = /<nav class="pages"([^]*?)<\/nav>/.exec(textOf('')) ?? [];
    const listed = [...navigation.matchAll(/href="\/docs\/([^"]+)"/g)].map(([, path]) => path);
    const wanted = ['guides/first-workflow', 'recipes/fan-out', 'definition', 'webhooks', 'operations'];
    expect(listed).toEqual(expect.arrayContaining(wanted));
    for (const text of [navigation, textOf('search.json'), textOf('llms.txt')]) {
      expect(text).not.toMatch(/docs\/(decisions|testing|contributing)/);
    }
  });

  it('opens each page with a sentence about it, and ends each guide with next steps', () => {
    const listed = [...textOf('llms.txt').matchAll(/\]\(\/docs\/([^)]+)\.md\)/g)].map(([, path = '']) => path);
    const slugs = listed.map((path) => path.replace(/\/README$/, ''));
    expect(slugs.filter((slug) => !/<h1[^>]*>.*<\/h1>\n<p>/.test(textOf(slug)))).toEqual([]);
    const guides = slugs.filter((slug) => slug.startsWith('guides/'));
    expect(guides.length).toBeGreaterThan(5);
    expect(guides.filter((slug) => !textOf(slug).includes('<h2 id="next-steps">'))).toEqual([]);
  });

  it('leads from each page of the navigation to the next, and back', () => {
    const linkOf = (path: string, rel: string) =>
      new RegExp(`<a rel="${rel}" href="${BASE}/([^"]*)"`).exec(textOf(path))?.[1];
    const seen = ['concepts'];
    for (let next = linkOf('concepts', 'next'); next !== undefined; next = linkOf(next, 'next')) {
      expect([next, linkOf(next, 'prev')]).toEqual([next, seen.at(-1)]);
      seen.push(next);
    }
    expect(seen.slice(0, 2)).toEqual(['concepts', 'guides/first-workflow']);
    expect(new Set(seen).size).toBe(seen.length);
    expect(seen.length).toBeGreaterThan(60);
    expect(linkOf('decisions/0112-the-documentation-is-rendered-when-it-is-read', 'next')).toBeUndefined();
  });

  it('has each page as Markdown, and lists them for language models', () => {
    expect(textOf('webhooks.md')).toMatch(/^# /);
    const listed = [...textOf('llms.txt').matchAll(/\]\(\/docs\/([^)]+)\)/g)].map(([, path = '']) => path);
    expect(listed.length).toBeGreaterThan(40);
    expect(listed.filter((path) => files.get(path)?.type !== 'text/markdown; charset=utf-8')).toEqual([]);
  });

  it('finds parts of pages by their words', () => {
    const index = new MiniSearch<{ readonly id: number; readonly url: string }>({
      fields: ['heading', 'page', 'text'],
      storeFields: ['url'],
    });
    const entries: unknown = JSON.parse(textOf('search.json'));
    expect(Array.isArray(entries)).toBe(true);
    index.addAll(Array.isArray(entries) ? entries : []);
    const first = (words: string) => index.search(words, { boost: { heading: 4 }, prefix: true })[0]?.url as unknown;
    expect(first('rateLimit max windowSeconds')).toBe('/docs/definition#settingsratelimit');
    expect(first('verifying signatures')).toBe('/docs/webhooks#verifying-signatures');
    expect(first('RUN_LOST_TOO_OFTEN')).toBe('/docs/errors/RUN_LOST_TOO_OFTEN');
    expect(first('POST rerun executions')).toBe('/docs/api#/executions/rerunExecution');
  });

  it('compresses a file once', async () => {
    const file = files.get('errors');
    const gzipped = await file?.gzipped();
    expect(gunzipSync(gzipped ?? '')).toEqual(file?.body);
    expect(await (await site.read('errors'))?.gzipped()).toBe(gzipped);
  });

  it('reads no file that it does not list', async () => {
    for (const path of [
      '../package.json',
      'guides/../../package.json',
      '%2e%2e/package.json',
      '__proto__',
      'nothing',
    ]) {
      expect(await site.read(path)).toBeUndefined();
    }
  });
});
