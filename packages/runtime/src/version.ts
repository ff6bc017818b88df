/** The version of Deckhand that this process runs, as in CHANGELOG.md. Workers report it with their heartbeats. */
export const VERSION = '0.2.0';
