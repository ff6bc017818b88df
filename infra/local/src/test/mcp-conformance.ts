import { join } from 'node:path';
import { execa } from 'execa';
import { lastLine } from '../package-installer.ts';
import { REPOSITORY } from '../repository.ts';
import type { Preparation } from './programs.ts';

/** The protocol's public suite. It takes 52 MB with its dependencies, so it is not installed with the others. */
const SUITE = '@modelcontextprotocol/conformance@0.2.0-alpha.12';

/** Installs the conformance suite of MCP from the registry. */
export async function installMcpConformance(): Promise<Preparation> {
  const folder = join(REPOSITORY, '.deckhand', 'mcp-conformance');
  const options = ['--ignore-scripts', '--no-package-lock', '--no-audit', '--no-fund'];
  try {
    await execa('npm', ['install', '--prefix', folder, ...options, SUITE]);
    return { MCP_CONFORMANCE: folder };
  } catch (error) {
    return { missing: `npm could not install ${SUITE}: ${lastLine(error)}` };
  }
}
