import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The repository. */
export const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** What local runs leave behind: data, logs, stamps. Git ignores it. */
export const WORK = join(ROOT, '.deckhand');
