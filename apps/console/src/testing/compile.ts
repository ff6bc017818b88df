// Lets plain Node.js load the console's modules: it strips types itself, but neither compiles JSX nor knows styles.
import { transformSync } from '@swc/core';
import { readFileSync } from 'node:fs';
import { registerHooks, setSourceMapsSupport } from 'node:module';
import { fileURLToPath } from 'node:url';

/** What only a bundler loads, and no test looks at. */
const ASSETS = /\.(css|svg|woff2)$/;

setSourceMapsSupport(true);
registerHooks({
  load(url, context, next) {
    const { protocol, pathname } = new URL(url);
    if (protocol !== 'file:') return next(url, context);
    if (ASSETS.test(pathname)) {
      // The classes of a CSS module are none.
      return { format: 'module', source: 'export default {};', shortCircuit: true };
    }
    if (!pathname.endsWith('.tsx')) return next(url, context);
    const filename = fileURLToPath(url);
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
    return { format: 'module', source: code, shortCircuit: true };
  },
});
