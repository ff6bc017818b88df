import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

const path = (relative) => fileURLToPath(new URL(relative, import.meta.url));

/** What is worth compressing. */
const TEXT = /\.(js|css|svg|html)$/;

/** Leaves each text file compressed beside it, so that the gateway never compresses. */
function compress(folder) {
  return {
    name: 'deckhand:compress',
    apply: 'build',
    closeBundle() {
      for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => TEXT.test(name))) {
        const file = join(folder, name);
        const content = readFileSync(file);
        const params = { [constants.BROTLI_PARAM_QUALITY]: 9 };
        writeFileSync(`${file}.br`, brotliCompressSync(content, { params }));
        writeFileSync(`${file}.gz`, gzipSync(content, { level: 9 }));
      }
    },
  };
}

/**
 * Has the page load at once what its first script imports later, and what that imports: otherwise each step waits for
 * the one before.
 */
function preloadStart() {
  return {
    name: 'deckhand:preload-start',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler(_html, { bundle = {} }) {
        const start = Object.values(bundle).find(({ facadeModuleId }) => facadeModuleId?.endsWith('/src/start.tsx'));
        if (start === undefined) throw new Error('the console has no chunk of src/start.tsx');
        const loaded = new Set([start.fileName]);
        // Iterating over a set includes elements that are added meanwhile.
        for (const name of loaded) for (const imported of bundle[name]?.imports ?? []) loaded.add(imported);
        const styles = [...loaded].flatMap((name) => [...(bundle[name]?.viteMetadata?.importedCss ?? [])]);
        const link = (attrs) => ({ tag: 'link', injectTo: 'head', attrs });
        return [
          ...styles.map((name) => link({ rel: 'preload', as: 'style', crossorigin: true, href: `/${name}` })),
          ...[...loaded].map((name) => link({ rel: 'modulepreload', crossorigin: true, href: `/${name}` })),
        ];
      },
    },
  };
}

/** What the first script needs to load the texts of a language. */
const BEFORE_TEXTS = /src[\\/]language[\\/](i18n|language|served-text)\.ts$|preload-helper/;
const FIRST_SCRIPT = /index\.html$|src[\\/]main\.ts$/;

/**
 * What several pages share is merged into the closest chunk below this size in bytes, before it is minified: each file
 * costs a round trip, and browsers load six at a time.
 */
const MERGED_BYTES = 60_000;

export default defineConfig({
  root: path('.'),
  plugins: [react(), preloadStart(), compress(path('./dist'))],
  // From its source, so that the console needs no build of it, and takes of it only what it uses.
  resolve: { alias: { '@deckhand/contracts': path('../../packages/contracts/src/index.ts') } },
  build: {
    target: 'es2023',
    emptyOutDir: true,
    // The policy for scripts and images allows files of this origin only.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: {
      // As an entry of its own, all that it imports is known to be loaded first.
      input: { index: path('./index.html'), start: path('./src/start.tsx') },
      output: {
        // Merged chunks may import each other.
        strictExecutionOrder: true,
        codeSplitting: {
          groups: [
            // Loaded before everything that has texts: nothing else may be in it.
            { name: 'language', test: BEFORE_TEXTS, priority: 4 },
            // Waits for the start, which therefore must not import it.
            { name: 'main', test: FIRST_SCRIPT, priority: 3 },
            // What the first page is made of. The libraries among it change only with their versions.
            { name: 'kit', test: /node_modules/, tags: ['$initial'], priority: 2 },
            { name: 'app', tags: ['$initial'], priority: 1 },
            { name: 'shared', minShareCount: 2, entriesAware: true, entriesAwareMergeThreshold: MERGED_BYTES },
          ],
        },
      },
    },
    // The code editor, which is loaded on demand, is the largest.
    chunkSizeWarningLimit: 1_000,
  },
  // For work on the console: `npx vite` in this folder, beside an API that runs.
  server: { proxy: { '/api': process.env.API_URL ?? 'http://localhost:3000' } },
});
