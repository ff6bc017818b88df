import { homedir } from 'node:os';
import { join } from 'node:path';

/** What the command takes from its environment. */
export interface Environment {
  readonly url: string | undefined;
  readonly apiKey: string | undefined;
  readonly workspace: string | undefined;
  readonly profile: string | undefined;
  /** The file of the profiles. */
  readonly profilesPath: string;
}

/** Reads the environment. An empty variable counts as one that is not set. */
export function readEnvironment(): Environment {
  const read = (name: string): string | undefined => {
    const value = process.env[name]?.trim();
    return value === '' ? undefined : value;
  };
  return {
    url: read('DECKHAND_URL'),
    apiKey: read('DECKHAND_API_KEY'),
    workspace: read('DECKHAND_WORKSPACE'),
    profile: read('DECKHAND_PROFILE'),
    profilesPath: join(configFolder(read), 'deckhand', 'profiles.json'),
  };
}

/** Reads a variable that a file names. */
export function readVariable(name: string): string | undefined {
  return process.env[name];
}

/** Returns the folder in which the system keeps settings of programs. */
function configFolder(read: (name: string) => string | undefined): string {
  const xdg = read('XDG_CONFIG_HOME');
  if (xdg !== undefined) return xdg;
  if (process.platform === 'win32') return read('APPDATA') ?? join(homedir(), 'AppData', 'Roaming');
  if (process.platform === 'darwin') return join(homedir(), 'Library', 'Application Support');
  return join(homedir(), '.config');
}
