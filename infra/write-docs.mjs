// Writes the documentation as static files, for any web server: npm run docs -- <folder> [path of the site]
// Instances serve the same pages at /docs.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { openSite } from '../apps/api/src/docs/site.ts';
import { ROOT } from './bootstrap/paths.mjs';

const [folder, base = ''] = process.argv.slice(2);
if (folder === undefined) {
  console.error('Say where to write the files: npm run docs -- <folder> [path of the site, such as /docs]');
  process.exit(1);
}
const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
const site = await openSite({ root: ROOT, base, version, hasApi: false });
for (const path of site.paths) {
  const { body, type } = await site.read(path);
  const file = join(folder, type.startsWith('text/html') ? join(path, 'index.html') : path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, body);
}
console.log(`${site.paths.length} files are in ${folder}.`);
