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

export default defineConfig({
  root: path('.'),
  plugins: [react(), compress(path('./dist'))],
  // From its source, so that the console needs no build of it, and takes of it only what it uses.
  resolve: { alias: { '@deckhand/contracts': path('../../packages/contracts/src/index.ts') } },
  build: {
    target: 'es2023',
    emptyOutDir: true,
    // The policy for scripts and images allows files of this origin only.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    // The code editor, which is loaded on demand, is the largest.
    chunkSizeWarningLimit: 1_000,
  },
  // For work on the console: `npx vite` in this folder, beside an API that runs.
  server: { proxy: { '/api': process.env.API_URL ?? 'http://localhost:3000' } },
});
