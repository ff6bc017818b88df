import type { FolderEntry } from '@deckhand/contracts';
import { AnchorLink } from '../../components/anchor-link.js';
import classes from './folder-path.module.css';

/** The path to a folder: a link to each folder on it. */
export function FolderPath({ workspaceId, path }: { workspaceId: string; path: readonly FolderEntry[] }) {
  return (
    <nav aria-label="Folder path">
      <ol className={classes.path}>
        <li>
          <AnchorLink size="sm" to="/w/$workspaceId/workflows" params={{ workspaceId }}>
            Workflows
          </AnchorLink>
        </li>
        {path.map(({ id, name }) => (
          <li key={id}>
            <AnchorLink size="sm" to="/w/$workspaceId/workflows" params={{ workspaceId }} search={{ folderId: id }}>
              {name}
            </AnchorLink>
          </li>
        ))}
      </ol>
    </nav>
  );
}
