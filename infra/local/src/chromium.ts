import { findProgram, isExecutable } from './find-program.ts';
import { lastLine, packageInstaller } from './package-installer.ts';

const PROGRAMS = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
const MAC_PROGRAMS = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
];

/** There is no browser for the console's tests and no way to install one: the message lists the alternatives. */
export class NoChromiumError extends Error {
  override readonly name = 'NoChromiumError';

  constructor(reason: string) {
    super(`Chromium is missing${reason}: the tests of the console need it. Install chromium, or Google Chrome.`);
  }
}

/** Returns the path of Chromium or Chrome; undefined if neither is installed. */
export async function findChromium(): Promise<string | undefined> {
  if (process.platform === 'darwin') {
    for (const path of MAC_PROGRAMS) if (await isExecutable(path)) return path;
  }
  return findProgram(PROGRAMS);
}

/**
 * Finds Chromium, or installs it with the system's package manager. @param log called with one line when a package is
 * installed. @throws NoChromiumError when neither works.
 */
export async function ensureChromium(log: (line: string) => void): Promise<string> {
  const found = await findChromium();
  if (found !== undefined) return found;
  // With a font: a browser without one draws no text.
  const install = await packageInstaller({ apt: ['chromium', 'fonts-liberation'], brew: ['--cask', 'google-chrome'] });
  if (install === undefined) throw new NoChromiumError('');
  log(`Chromium is missing: installing it with ${install.name} (once)`);
  try {
    await install.run();
  } catch (error) {
    throw new NoChromiumError(` and ${install.name} could not install it (${lastLine(error)})`);
  }
  const installed = await findChromium();
  if (installed === undefined) throw new NoChromiumError(` even after ${install.name}`);
  return installed;
}
