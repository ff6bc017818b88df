import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The repository. */
export const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** Data, logs and stamps of local runs. Git ignores them. */
export const WORK = join(ROOT, '.deckhand');
