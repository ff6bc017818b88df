import { ensureChromium, NoChromiumError } from '../chromium.ts';
import { ensureRedisServer, NoRedisError } from '../redis-server.ts';

/** The environment that selects what was installed, or why it could not be. */
export type Preparation = Readonly<Record<string, string>> | { readonly missing: string };

/**
 * Installs what tests need and this system lacks; may be called again. Parts of the full run install what only they
 * need. @returns 1 if a program is not available, after the reason has been printed.
 */
export async function installPrograms(): Promise<number> {
  try {
    await ensureRedisServer(console.log);
    await ensureChromium(console.log);
    return 0;
  } catch (error) {
    if (!(error instanceof NoRedisError || error instanceof NoChromiumError)) throw error;
    console.error(error.message);
    return 1;
  }
}
