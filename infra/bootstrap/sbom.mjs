import { join } from 'node:path';
import { ROOT } from './paths.mjs';
import { PNPM } from './preparations.mjs';
import { step } from './step.mjs';

const FILE = 'deckhand.cdx.json';

/**
 * Writes the bill of materials of what ships, as CycloneDX, from the lockfile: every package with its version and the
 * hash by which it is installed.
 * @param args `--out=<path>` writes it elsewhere than into the root.
 */
export async function sbom(args) {
  const out = args.find((arg) => arg.startsWith('--out='))?.slice('--out='.length) ?? join(ROOT, FILE);
  const format = ['--sbom-format', 'cyclonedx', '--sbom-type', 'application'];
  const scope = ['--prod', '--lockfile-only'];
  await step('Write the bill of materials', 'npx', ['--yes', PNPM, 'sbom', ...format, ...scope, '--out', out]);
  console.log(out);
}
