// Lets plain Node.js load the console's modules: it strips types itself, but neither compiles JSX nor knows what Vite
// adds to modules.
import { transformSync } from '@swc/core';
import { readFileSync } from 'node:fs';
import { registerHooks, setSourceMapsSupport, stripTypeScriptTypes } from 'node:module';
import { fileURLToPath } from 'node:url';

/** What only a bundler loads, and no test looks at. */
const ASSETS = /\.(css|svg|woff2)$/;

/** What Vite adds, for the JSON files of a folder: they are loaded at once. */
const GLOB = `import { globSync, readFileSync } from 'node:fs';
import.meta.glob = (pattern) => globSync(pattern, { cwd: import.meta.dirname }).sort()
  .map((name) => JSON.parse(readFileSync(new URL(name, import.meta.url), 'utf8')));`;

setSourceMapsSupport(true);
registerHooks({
  load(url, context, next) {
    const { protocol, pathname } = new URL(url);
    if (protocol !== 'file:') return next(url, context);
    // The classes of a CSS module are none.
    if (ASSETS.test(pathname)) return moduleOf('export default {};');
    if (pathname.endsWith('.tsx')) return moduleOf(compile(fileURLToPath(url)));
    if (!pathname.includes('/console/src/') || !pathname.endsWith('.ts')) return next(url, context);
    const source = readFileSync(fileURLToPath(url), 'utf8');
    return source.includes('import.meta.glob') ? moduleOf(GLOB + stripTypeScriptTypes(source)) : next(url, context);
  },
});

function moduleOf(source: string) {
  return { format: 'module', source, shortCircuit: true } as const;
}

function compile(filename: string): string {
  const { code } = transformSync(readFileSync(filename, 'utf8'), {
    filename,
    swcrc: false,
    sourceMaps: 'inline',
    jsc: {
      target: 'es2024',
      parser: { syntax: 'typescript', tsx: true },
      transform: { react: { runtime: 'automatic' } },
    },
    module: { type: 'es6' },
  });
  return code;
}
