const PLACE = 'deckhand.workspace';

/** The workspace that this browser showed last. */
export function lastWorkspace(): string | null {
  return localStorage.getItem(PLACE);
}

/** Remembers the workspace that is shown. */
export function rememberWorkspace(workspaceId: string): void {
  localStorage.setItem(PLACE, workspaceId);
}
